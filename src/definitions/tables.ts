import type { Child, Resource } from '../resources/resource.ts'
import { quoteIdentifier, quoteLiteral } from './quote.ts'

export interface TableColumn {
  readonly name: string
  readonly type: string
  /** Comment of the column. */
  readonly meaning?: string
}

export interface Table {
  readonly name: string
  readonly description: string
  /** Columns that together identify a row. Undefined if rows are not guaranteed to be unique. */
  readonly key?: readonly string[]
  readonly columns: readonly TableColumn[]
}

/** The account that owns a row. Part of every key, because two accounts can use the same ids. */
export const ACCOUNT = { name: 'account_id', type: 'BIGINT', meaning: 'Account that owns the row.' } as const

/** Columns that the sync adds to each row of a resource. */
export const BOOKKEEPING = [
  { name: '_extra', type: 'JSON', meaning: 'Fields that the API document does not list; NULL if none.' },
  { name: '_hash', type: 'UBIGINT', meaning: 'Hash of the content, for detecting changes.' },
  { name: '_seen_at', type: 'TIMESTAMPTZ', meaning: 'When this content was first read.' },
  { name: '_run_id', type: 'BIGINT', meaning: 'Run in which this content was first read.' },
  {
    name: 'vanished_at',
    type: 'TIMESTAMPTZ',
    meaning: 'When the record was first missing from the service; NULL if it is present.',
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

function versionsTable(resource: Resource): Table | undefined {
  if (resource.versions === undefined) return undefined
  return {
    name: resource.versions,
    description: `Previous contents of rows in ${resource.table}, each valid from _seen_at until _replaced_at.`,
    columns: [
      ...resourceTable(resource).columns,
      { name: '_replaced_at', type: 'TIMESTAMPTZ', meaning: 'When the content that replaced it was read.' },
    ],
  }
}

function childTable(resource: Resource, child: Child): Table {
  return {
    name: child.table,
    description: `One row per element of ${child.path.join('.')} of a row in ${resource.table}.`,
    key: [ACCOUNT.name, ...resource.key, 'ordinal'],
    columns: [
      ACCOUNT,
      ...keyColumns(resource),
      { name: 'ordinal', type: 'BIGINT', meaning: 'Position in the list, from 0.' },
      ...child.columns,
    ],
  }
}

/** Returns the columns whose values come from a record of the service. */
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

export function commentOn(
  kind: string,
  name: string,
  comment: string,
  columns: readonly TableColumn[],
): string[] {
  const relation = quoteIdentifier(name)
  return [
    `comment on ${kind} ${relation} is ${quoteLiteral(comment)}`,
    ...columns.map(
      ({ name: column, meaning = '' }) =>
        `comment on column ${relation}.${quoteIdentifier(column)} is ${quoteLiteral(meaning)}`,
    ),
  ]
}
