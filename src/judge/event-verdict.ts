/** Verdict on the change in a figure since an event. See `sql/statistics/event-verdicts.sql`. */
export type EventCode =
  | 'unread'
  | 'early'
  | 'none'
  | 'few'
  | 'short'
  | 'sure'
  | 'possible'
  | 'trend'
  | 'since'
  | 'small'
  | 'unclear'

/** The change in one figure since an event. Durations are in seconds, and incidents are counted per week. */
export interface EventChange {
  readonly measure: 'time_to_ack' | 'time_to_resolve' | 'incidents_a_week'
  readonly code: EventCode
  readonly direction: -1 | 0 | 1
  /** Number of incidents since the event (`n`), and in the same number of weeks before it (`nBefore`). */
  readonly n: number
  readonly nBefore: number
  readonly value: number | null
  readonly before: number | null
  /** The same figures for the other teams. Null if there are none. */
  readonly others: {
    readonly n: number
    readonly value: number | null
    readonly before: number | null
  } | null
  /** Figure since the event divided by the figure before, relative to the same ratio of the other teams, if any. */
  readonly ratio: number | null
  readonly low: number | null
  readonly high: number | null
  readonly p: number | null
  /** p-value of a step at the event, adjusted for a linear trend through all weeks. */
  readonly stepP: number | null
  readonly couldShow: number | null
  readonly sentence: string
}

export interface Comparison {
  readonly event: string
  readonly day: string
  /** Affected teams. Null means all. */
  readonly teams: readonly string[] | null
  readonly otherTeams: number
  /** Number of full weeks since the event, at most 13 (`weeks`), and of weeks with data before it (`weeksBefore`). */
  readonly weeks: number
  readonly weeksBefore: number
  readonly beside: readonly string[]
  /** The first day on which a comparison will be possible. */
  readonly tellableFrom: string
  readonly changes: readonly EventChange[]
}
