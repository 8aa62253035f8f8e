import type { z } from 'zod'
import type { OperationName } from '../contract/index.ts'

/** DuckDB types of columns. */
export type ColumnType = 'VARCHAR' | 'BIGINT' | 'BOOLEAN' | 'TIMESTAMPTZ' | 'JSON' | 'BIGINT[]' | 'VARCHAR[]'

/** One column: its name, its type, and the path of its value in a record of the service. */
export interface Column<Name extends string = string, Type extends ColumnType = ColumnType> {
  readonly name: Name
  readonly type: Type
  /** What it holds, in one sentence: it becomes the column's comment. Empty only in tests. */
  readonly meaning: string
  /** A time that may be yet to come; every other one has passed when a record is read. */
  readonly mayLieAhead?: true
  /** An id of hexadecimal digits, which services send in upper and lower case: it is stored in lower case. */
  readonly isHex?: true
  /** Field names from the record down to the value; by default the column's name, empty for the record itself. */
  readonly path: readonly string[]
}

const build =
  <const Type extends ColumnType>(type: Type) =>
  <const Name extends string>(name: Name, meaning = '', path: string = name): Column<Name, Type> => ({
    name,
    type,
    meaning,
    path: path === '' ? [] : path.split('.'),
  })

/** Text as it is. */
export const text = build('VARCHAR')
/** An id of hexadecimal digits; one of other characters stays as it is. */
export const hexId = <const Name extends string>(name: Name, meaning: string, path?: string) => ({
  ...text(name, meaning, path),
  isHex: true as const,
})
/** An int64 as it is: 0 keeps its meaning in identifiers (system, none or standalone). */
export const integer = build('BIGINT')
export const flag = build('BOOLEAN')
/** Unix seconds to a point in time. 0 means "not set" and becomes NULL, here and nowhere else. */
export const time = build('TIMESTAMPTZ')
/** A time that may be yet to come. */
export const timeAhead = <const Name extends string>(name: Name, meaning: string) => ({
  ...time(name, meaning),
  mayLieAhead: true as const,
})
/** An object or a list of any shape. */
export const json = build('JSON')
export const integers = build('BIGINT[]')
export const texts = build('VARCHAR[]')

/** An array inside a record as a table of its own, whose rows are replaced with their parent. */
export interface Child {
  readonly table: string
  /** Field names from the record down to the array. */
  readonly path: readonly string[]
  /** Columns of an element; a list of plain values has one column with an empty path. */
  readonly columns: readonly Column[]
}

/** The column that holds the ids of a resource that can only be read by id. */
export interface IdSource {
  readonly table: string
  readonly column: string
}

/** How the records of a resource are read. The strategies are `sync/read-*.ts`. */
export type ReadStrategy =
  /** Cursor pages over windows of the record's start; also readable by id within a window. */
  | {
      readonly kind: 'windows'
      readonly start: string
      readonly idsParameter: string
      readonly openWhen: OpenWhen
      /** Fields of a request that filter by `openWhen`. */
      readonly openFilter: Readonly<Record<string, unknown>>
    }
  /** Numbered pages over all records. */
  | { readonly kind: 'pages' }
  /** Read by id, up to `batch` ids a request. With a batch of 1 the parameter is the id itself, else a list. */
  | {
      readonly kind: 'ids'
      readonly parameter: string
      readonly batch: number
      readonly from: IdSource
      readonly refresh: Refresh
    }
  /** One request that returns everything, stored once a run; the time of reading goes to the field `at`. */
  | { readonly kind: 'snapshot'; readonly input: Readonly<Record<string, unknown>>; readonly at: string }

/** A stored record that may still change at any age: `column` has any value but this one. */
interface OpenWhen {
  readonly column: string
  readonly not: string
}

/** When a stored record is read again. */
interface Refresh {
  /** Once in so many days, each record at a moment of its own. */
  readonly afterDays: number
  /** Every run too, while `column` has any value but this one and the record changed within the lookback. */
  readonly while?: OpenWhen
}

/** The privacy rules of a resource, compiled. */
export interface Scrub {
  /** Drops and hashes in place, in a valid record. */
  record(record: Record<string, unknown>): void
  /** The undocumented fields of a record as they may be stored. */
  extra(extra: object | undefined): unknown
  /** A rejected record as it may be stored, whatever its shape. */
  rejected(record: unknown): unknown
  /** A column's value as it may be stored; `child` is the table of a child's column, else null. */
  column(name: string, child: string | null, value: unknown): unknown
  /** The columns with a rule; `child` as above. */
  readonly columns: readonly { readonly child: string | null; readonly name: string }[]
  /** Identifies the set of rules and the salt. */
  readonly fingerprint: string
}

/** One kind of record to keep, as a plain object that the sync runs. */
export interface Resource {
  /** The resource's name and its table's. */
  readonly table: string
  /** What a row is, for `comment on table` and the documentation. */
  readonly description: string
  readonly key: readonly string[]
  readonly operation: OperationName
  /** Shape of one record; invalid records go to quarantine. */
  readonly record: z.ZodType
  /** Field names from the response's data down to the records; empty when `data` itself is the list or the record. */
  readonly items: readonly string[]
  readonly read: ReadStrategy
  /** Column with the time of the last change: within one run an older copy does not replace a newer one. */
  readonly updated?: string
  /** Table that keeps the former content of changed rows. */
  readonly versions?: string
  readonly columns: readonly Column[]
  readonly children: readonly Child[]
  /** Applied to every record before it is stored. */
  readonly scrub?: Scrub
}
