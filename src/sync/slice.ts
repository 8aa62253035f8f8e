/** Why something is read. */
export type Reason = 'backfill' | 'new' | 'lookback' | 'still-open' | 'reopened' | 'sweep' | 'refresh'

/** A stretch of time in Unix seconds, `start` included, `end` not (a reader asks for both ends to be safe). */
export interface Span {
  readonly start: number
  readonly end: number
}

/** One piece of reading, small enough to be done or resumed on its own. */
export interface Slice {
  /** The resource's table. */
  readonly resource: string
  readonly reason: Reason
  /** The window of start times, for a resource that is read by windows. */
  readonly span: Span | null
  /** The ids asked for, when it is read by id. */
  readonly ids: readonly string[] | null
  /** Whether only records are asked for that are open now. */
  readonly onlyOpen?: boolean
  /** Where an interrupted run had got to. */
  readonly cursor: string | null
  /** Whether nothing of the span is stored yet, so that nothing in it can have vanished. */
  readonly isFirst?: boolean
  /** How many requests it will take; a guess where nothing is known. */
  readonly requests: number
}
