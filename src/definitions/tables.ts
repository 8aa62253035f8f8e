import type { Child, Resource } from '../resources/resource.ts'

/** A table column. `meaning` becomes its comment. */
export interface TableColumn {
  readonly name: string
  readonly type: string
  readonly meaning?: string
}

/** Declaration of a warehouse table. */
export interface Table {
  readonly name: string
  readonly description: string
  /** Unique columns, if uniqueness is guaranteed. */
  readonly key?: readonly string[]
  readonly columns: readonly TableColumn[]
}

/**
 * The account that owns a row. It is part of every key, because ids are unique only within an account. The value comes
 * from the API key of the run and is never read from a record, even if the record contains one.
 */
export const ACCOUNT = { name: 'account_id', type: 'BIGINT', meaning: 'Account that owns the row.' } as const

/** Columns that the sync adds to each row of a resource. */
export const BOOKKEEPING = [
  { name: '_extra', type: 'JSON', meaning: 'Fields its document does not name; NULL if none.' },
  { name: '_hash', type: 'UBIGINT', meaning: 'Hash of the content, to see whether it changed.' },
  { name: '_seen_at', type: 'TIMESTAMPTZ', meaning: 'When this content was first read.' },
  { name: '_run_id', type: 'BIGINT', meaning: 'Run that read this content first.' },
  {
    name: 'vanished_at',
    type: 'TIMESTAMPTZ',
    meaning: 'When the service no longer had it; NULL while it has.',
  },
] as const

export function resourceTable(resource: Resource): Table {
  return {
    name: resource.table,
    description: resource.description,
    key: [ACCOUNT.name, ...resource.key],
    columns: [ACCOUNT, ...readColumns(resource), ...BOOKKEEPING],
  }
}

/** Returns the table of replaced row contents, or undefined if the resource stores none. */
export function versionsTable(resource: Resource): Table | undefined {
  if (resource.versions === undefined) return undefined
  return {
    name: resource.versions,
    description: `Former contents of rows in ${resource.table}, each from _seen_at until _replaced_at.`,
    columns: [
      ...resourceTable(resource).columns,
      { name: '_replaced_at', type: 'TIMESTAMPTZ', meaning: 'When the next content was read.' },
    ],
  }
}

/** Returns the table of a child list, with one row per element. */
export function childTable(resource: Resource, child: Child): Table {
  return {
    name: child.table,
    description: `One row per element of ${child.path.join('.')} of a row in ${resource.table}.`,
    key: [ACCOUNT.name, ...resource.key, 'ordinal'],
    columns: [
      ACCOUNT,
      ...keyColumns(resource),
      { name: 'ordinal', type: 'BIGINT', meaning: 'Place in the list, from 0.' },
      ...child.columns,
    ],
  }
}

/** Returns the columns that are read from a record, which are all but the account. */
export function readColumns(resource: Resource) {
  return resource.columns.filter((column) => column.name !== ACCOUNT.name)
}

/** Returns the columns that identify a row within its account, in key order. */
export function keyColumns(resource: Resource) {
  return resource.key.map((name) => {
    const column = resource.columns.find((one) => one.name === name)
    if (!column) throw new Error(`key column ${name} of ${resource.table} is not among its columns`)
    return column
  })
}

export function tablesOf(resource: Resource): readonly Table[] {
  const versions = versionsTable(resource)
  return [
    resourceTable(resource),
    ...(versions ? [versions] : []),
    ...resource.children.map((child) => childTable(resource, child)),
  ]
}
