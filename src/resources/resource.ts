import type { z } from 'zod'
import type { OperationName } from '../contract/index.ts'
import type { Column } from './column.ts'

/** Rows of an array inside a record: a table of their own, replaced together with their parent. */
export interface Child {
  readonly table: string
  /** Field names from the record down to the array. */
  readonly path: readonly string[]
  /** Columns of an element; a list of plain values has one column with an empty path. */
  readonly columns: readonly Column[]
}

/** Where the ids of records come from that can only be read by id: a column of a table read before. */
export interface IdSource {
  readonly table: string
  readonly column: string
}

/** How the records of a resource are read. One strategy is one file in `sync/`. */
export type ReadStrategy =
  /** Cursor pages over windows of the record's start; also readable by id within a window. */
  | {
      readonly kind: 'windows'
      readonly start: string
      readonly idsParameter: string
      readonly openWhen: OpenWhen
      /** Fields of a request that leave only those records for which `openWhen` holds. */
      readonly openFilter: Readonly<Record<string, unknown>>
    }
  /** Numbered pages over everything there is. */
  | { readonly kind: 'pages' }
  /** Read by id, up to `batch` ids a request. With a batch of 1 the parameter is the id itself, else a list. */
  | {
      readonly kind: 'ids'
      readonly parameter: string
      readonly batch: number
      readonly from: IdSource
      readonly refresh: Refresh
    }
  /** One small request that returns everything, kept once a run; the time it was read goes to the field `at`. */
  | { readonly kind: 'snapshot'; readonly input: Readonly<Record<string, unknown>>; readonly at: string }

/** A stored record that may still change however old it is: `column` has any value but this one. */
export interface OpenWhen {
  readonly column: string
  readonly not: string
}

/** When a stored record is read again. */
export interface Refresh {
  /** Once it was last looked at this many days ago. */
  readonly afterDays: number
  /** Every run, while `column` has any value but this one. */
  readonly while?: OpenWhen
}

/** What the configuration's privacy rules do to the records of a resource, compiled. */
export interface Scrub {
  /** Drops and hashes in place, in a record that fits. */
  record(record: Record<string, unknown>): void
  /** The undocumented fields of a record as they may be kept. */
  extra(extra: object | undefined): unknown
  /** A record that does not fit as it may be kept, whatever its shape. */
  rejected(record: unknown): unknown
  /** A stored value of a column as it may be kept: of a child's column where its table is given. */
  column(name: string, child: string | null, value: unknown): unknown
  /** The columns the rules are about; `child` is the table of a child's column, null for one of the resource itself. */
  readonly columns: readonly { readonly child: string | null; readonly name: string }[]
  /** What tells one set of rules from another: the rules in words, and whether the salt is the same. */
  readonly fingerprint: string
}

/** What we keep of one kind of record: a plain object that the general engine runs. */
export interface Resource {
  /** The resource's name and its table's. */
  readonly table: string
  /** What a row is, for `comment on table` and the documentation. */
  readonly description: string
  readonly key: readonly string[]
  readonly operation: OperationName
  /** Shape of one record; a record that does not fit goes to quarantine. */
  readonly record: z.ZodType
  /** Field names from the response's data down to the records; empty when `data` itself is the list or the record. */
  readonly items: readonly string[]
  readonly read: ReadStrategy
  /** Time of the last change, where there is one: an older copy never replaces a newer one. */
  readonly updated?: string
  /** Changed rows keep their former content in `<table without s>_versions`. */
  readonly versions?: string
  readonly columns: readonly Column[]
  readonly children: readonly Child[]
  /** Applied to every record before anything of it is stored. */
  readonly scrub?: Scrub
}
