import type { Child, Resource } from '../resources/resource.ts'

/** `meaning` becomes the column's comment. */
export interface TableColumn {
  readonly name: string
  readonly type: string
  readonly meaning?: string
}

/** A table of the warehouse as it is declared: what it holds, what identifies a row, and its columns. */
export interface Table {
  readonly name: string
  readonly description: string
  /** Columns that no two rows have equal, where that is promised. */
  readonly key?: readonly string[]
  readonly columns: readonly TableColumn[]
}

/**
 * The account a row belongs to: part of every key, since each account's service counts its own ids. It is the account of
 * the key the run reads with, the same for all its rows, so it is never read from a record, even where one carries it.
 */
export const ACCOUNT = { name: 'account_id', type: 'BIGINT', meaning: 'Account that owns the row.' } as const

/** What the sync adds to each row of a resource. */
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

/** The table of a resource: the account, its columns, then the bookkeeping. */
export function resourceTable(resource: Resource): Table {
  return {
    name: resource.table,
    description: resource.description,
    key: [ACCOUNT.name, ...resource.key],
    columns: [ACCOUNT, ...readColumns(resource), ...BOOKKEEPING],
  }
}

/** The table of former contents, where the resource keeps them: the same columns and when they were replaced. */
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

/** The table of a child: the account, the parent's key, the place in the parent's list, and the element's columns. */
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

/** The columns whose values are read from a record: all but the account. */
export function readColumns(resource: Resource) {
  return resource.columns.filter((column) => column.name !== ACCOUNT.name)
}

/** The columns that identify a row within its account, in the order of the key. */
export function keyColumns(resource: Resource) {
  return resource.key.map((name) => {
    const column = resource.columns.find((one) => one.name === name)
    if (!column) throw new Error(`key column ${name} of ${resource.table} is not among its columns`)
    return column
  })
}

/** Every table a resource needs. */
export function tablesOf(resource: Resource): readonly Table[] {
  const versions = versionsTable(resource)
  return [
    resourceTable(resource),
    ...(versions ? [versions] : []),
    ...resource.children.map((child) => childTable(resource, child)),
  ]
}
