import type { z } from 'zod'
import type { OperationName } from '../contract/index.ts'

export type ColumnType = 'VARCHAR' | 'BIGINT' | 'BOOLEAN' | 'TIMESTAMPTZ' | 'JSON' | 'BIGINT[]' | 'VARCHAR[]'

export interface Column<Name extends string = string, Type extends ColumnType = ColumnType> {
  readonly name: Name
  readonly type: Type
  /** One sentence that becomes the column's comment. Empty only in tests. */
  readonly meaning: string
  /** Whether this time can be in the future. A record with any other time in the future is rejected. */
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
/** An int64, stored unchanged. An id of 0 is kept, because it has a meaning: system, none or standalone. */
export const integer = build('BIGINT')
export const flag = build('BOOLEAN')
/** Unix seconds, stored as a timestamp. 0 means "not set" and becomes NULL. */
export const time = build('TIMESTAMPTZ')
export const timeAhead = <const Name extends string>(name: Name, meaning: string) => ({
  ...time(name, meaning),
  mayLieAhead: true as const,
})
export const json = build('JSON')
export const integers = build('BIGINT[]')
export const texts = build('VARCHAR[]')

/** An array inside a record, stored as a separate table. If the record changes, all its rows are replaced. */
export interface Child {
  readonly table: string
  /** Field names from the record down to the array. */
  readonly path: readonly string[]
  /** Columns of one element. An array of plain values has one column, with an empty path. */
  readonly columns: readonly Column[]
}

/** The column of another resource that contains the ids of a resource. */
export interface IdSource {
  readonly table: string
  readonly column: string
}

/** How the records of a resource are read. Implemented in `sync/read-*.ts`. */
export type ReadStrategy =
  /** Reads windows of start times, page by page with cursors. Within a window, records can also be read by id. */
  | {
      readonly kind: 'windows'
      readonly start: string
      readonly idsParameter: string
      /** Condition for records that can change at any age. */
      readonly openWhen: ColumnDiffers
      /** Request fields that select the records that meet `openWhen`. */
      readonly openFilter: Readonly<Record<string, unknown>>
    }
  /** Reads all records in numbered pages. */
  | { readonly kind: 'pages' }
  /** Reads records by id, up to `batch` per request. If `batch` is 1, the request has a single id instead of a list. */
  | {
      readonly kind: 'ids'
      readonly parameter: string
      readonly batch: number
      readonly from: IdSource
      readonly refresh: {
        /** Days after which a record is read again, counted from its last read. */
        readonly afterDays: number
        /** Every run reads the records that meet this condition and changed within the lookback time. */
        readonly while?: ColumnDiffers
      }
    }
  /** Reads everything with one request. Each run adds new rows, and stores the time of the read in the field `at`. */
  | { readonly kind: 'snapshot'; readonly input: Readonly<Record<string, unknown>>; readonly at: string }

/** The condition that `column` does not have the value `not`. */
interface ColumnDiffers {
  readonly column: string
  readonly not: string
}

/** The privacy rules of a resource, as functions that remove or hash what must not be stored. */
export interface Scrub {
  record(record: Record<string, unknown>): void
  /** Applies the rules to the undocumented fields of a record. */
  extra(extra: object | undefined): unknown
  /** Applies the rules to a rejected record of any structure. */
  rejected(record: unknown): unknown
  /** Applies the rules to a stored value. `child` is the child's table, or null for a column of the resource itself. */
  column(name: string, child: string | null, value: unknown): unknown
  readonly columns: readonly { readonly child: string | null; readonly name: string }[]
  /** A text that changes if the rules or the salt change. */
  readonly fingerprint: string
}

/** Describes one kind of record: how to read it from the service, and how to store it. */
export interface Resource {
  readonly table: string
  /** Meaning of a row, for `comment on table` and the documentation. */
  readonly description: string
  readonly key: readonly string[]
  readonly operation: OperationName
  /** Schema of one record. Invalid records go to quarantine. */
  readonly record: z.ZodType
  /** Field names from `data` down to the list of records. Empty if `data` itself is the list or the record. */
  readonly items: readonly string[]
  readonly read: ReadStrategy
  /** Column with the time of the last change. Within a run, an older copy of a record does not replace a newer copy. */
  readonly updated?: string
  /** Table for the previous contents of changed rows. */
  readonly versions?: string
  readonly columns: readonly Column[]
  readonly children: readonly Child[]
  readonly scrub?: Scrub
}
