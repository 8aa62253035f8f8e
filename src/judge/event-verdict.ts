/** Verdict on a figure since an event. See `sql/statistics/event-verdicts.sql`. */
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

/** The change of one figure since an event. Durations are in seconds, and incidents are per week. */
export interface EventChange {
  readonly measure: 'time_to_ack' | 'time_to_resolve' | 'incidents_a_week'
  readonly code: EventCode
  readonly direction: -1 | 0 | 1
  /** Number of incidents since the event, and in the same number of weeks before it. */
  readonly n: number
  readonly nBefore: number
  readonly value: number | null
  readonly before: number | null
  /** Figures of the other teams, or null. */
  readonly others: {
    readonly n: number
    readonly value: number | null
    readonly before: number | null
  } | null
  /**
   * Ratio of the figure since the event to the figure before it. If there are other teams, it is divided by their
   * ratio.
   */
  readonly ratio: number | null
  readonly low: number | null
  readonly high: number | null
  readonly p: number | null
  /** p-value of a step, adjusted for a linear trend through all weeks. */
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
  /** Number of full weeks since the event, at most 13, and of the weeks before it that were read. */
  readonly weeks: number
  readonly weeksBefore: number
  readonly beside: readonly string[]
  /** The first day on which a comparison is possible. */
  readonly tellableFrom: string
  readonly changes: readonly EventChange[]
}
