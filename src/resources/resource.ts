import type { z } from 'zod'
import type { OperationName } from '../contract/index.ts'

export type ColumnType = 'VARCHAR' | 'BIGINT' | 'BOOLEAN' | 'TIMESTAMPTZ' | 'JSON' | 'BIGINT[]' | 'VARCHAR[]'

/** One column: its name, its type, and the path of its value in a record of the service. */
export interface Column<Name extends string = string, Type extends ColumnType = ColumnType> {
  readonly name: Name
  readonly type: Type
  /** One sentence that becomes the column's comment. Empty only in tests. */
  readonly meaning: string
  /** The time can be in the future. All other times must be in the past when a record is read. */
  readonly mayLieAhead?: true
  /** A hexadecimal id, which services send in upper or lower case. Stored in lower case. */
  readonly isHex?: true
  /** Field names from the record down to the value (default: the column's name). Empty for the record itself. */
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

export const text = build('VARCHAR')
/** A hexadecimal id. An id with other characters is stored unchanged. */
export const hexId = <const Name extends string>(name: Name, meaning: string, path?: string) => ({
  ...text(name, meaning, path),
  isHex: true as const,
})
/** An unchanged int64. In identifiers, 0 has a meaning (system, none or standalone). */
export const integer = build('BIGINT')
export const flag = build('BOOLEAN')
/**
 * Declares a column that converts Unix seconds to a timestamp. 0 means "not set" and becomes NULL, but only in such
 * columns.
 */
export const time = build('TIMESTAMPTZ')
export const timeAhead = <const Name extends string>(name: Name, meaning: string) => ({
  ...time(name, meaning),
  mayLieAhead: true as const,
})
export const json = build('JSON')
export const integers = build('BIGINT[]')
export const texts = build('VARCHAR[]')

/** An array inside a record, stored as a separate table. Its rows are replaced with their parent. */
export interface Child {
  readonly table: string
  /** Field names from the record down to the array. */
  readonly path: readonly string[]
  /** Columns of one element of the array. For an array of plain values, this is one column with an empty path. */
  readonly columns: readonly Column[]
}

/** The column that contains the ids of a resource that can only be read by id. */
export interface IdSource {
  readonly table: string
  readonly column: string
}

/** How the records of a resource are read. Implemented in `sync/read-*.ts`. */
export type ReadStrategy =
  /** Cursor pages over windows of start times. Within a window, records can also be read by id. */
  | {
      readonly kind: 'windows'
      readonly start: string
      readonly idsParameter: string
      readonly openWhen: OpenWhen
      /** Request fields with which the service filters by `openWhen`. */
      readonly openFilter: Readonly<Record<string, unknown>>
    }
  /** Numbered pages over all records. */
  | { readonly kind: 'pages' }
  /**
   * Reads by id, up to `batch` ids per request. With a batch of 1, the parameter is the id itself, otherwise a list.
   */
  | {
      readonly kind: 'ids'
      readonly parameter: string
      readonly batch: number
      readonly from: IdSource
      readonly refresh: Refresh
    }
  /**
   * One request returns everything, and the result is stored once per run. The field `at` stores the time of the read.
   */
  | { readonly kind: 'snapshot'; readonly input: Readonly<Record<string, unknown>>; readonly at: string }

/** Values of `column` in records that can no longer change. Other records can change at any age. */
interface OpenWhen {
  readonly column: string
  readonly not: string
}

interface Refresh {
  /** Days after which a record is read again. The time counts for each record separately. */
  readonly afterDays: number
  /** A record that meets this condition is also read in every run if it changed within the lookback time. */
  readonly while?: OpenWhen
}

export interface Scrub {
  /** Drops and hashes in place in a valid record. */
  record(record: Record<string, unknown>): void
  /** Returns the undocumented fields of a record for storage. */
  extra(extra: object | undefined): unknown
  /** Returns a rejected record of any structure for storage. */
  rejected(record: unknown): unknown
  /**
   * Returns a column's value for storage. `child` is the child's table if the column belongs to a child, otherwise
   * null.
   */
  column(name: string, child: string | null, value: unknown): unknown
  /** The columns that have a rule. `child` is the child's table if the column belongs to a child, otherwise null. */
  readonly columns: readonly { readonly child: string | null; readonly name: string }[]
  /** Identifies the rules and the salt. */
  readonly fingerprint: string
}

/** One kind of record to store. The sync interprets this plain object. */
export interface Resource {
  /** Name of the resource and of its table. */
  readonly table: string
  /** Meaning of a row, for `comment on table` and the documentation. */
  readonly description: string
  readonly key: readonly string[]
  readonly operation: OperationName
  /** Schema of one record. Invalid records go to quarantine. */
  readonly record: z.ZodType
  /** Field names from `data` in the response down to the records. Empty if `data` itself is the list or the record. */
  readonly items: readonly string[]
  readonly read: ReadStrategy
  /** Column with the time of the last change. Within one run, an older copy does not replace a newer one. */
  readonly updated?: string
  /** Table that stores the old content of changed rows. */
  readonly versions?: string
  readonly columns: readonly Column[]
  readonly children: readonly Child[]
  /** Applied to every record before it is stored. */
  readonly scrub?: Scrub
}
