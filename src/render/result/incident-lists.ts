import type { QueryResult, Value } from './query-result.ts'

/** An incident or a page in a list. Its texts come from the service and are untrusted. */
export interface ListedIncident {
  title: Value
  severity: string
  team: Value
  /** State of the incident, such as `open, not acknowledged`. */
  state: Value
  /** Start of the incident, or time of the page. */
  startedAt: Value
  /** If it is a page, the paged person and their local time. */
  person: Value
  localTime: Value
  /** Seconds by measure. For an open incident, `lasted_s` is the time up to now. */
  seconds: Readonly<Record<Measure, Value>>
  url: Value
}

/** The times that can be the subject of a list. */
export const measures = {
  time_to_ack_s: 'Time to acknowledge',
  tta: 'Time to acknowledge',
  ttr: 'Time to resolve',
  ttr_all: 'Time to resolve',
  recover: 'Time to recover',
  lasted_s: 'Duration',
} as const
export type Measure = keyof typeof measures

/** The incidents behind one number. */
export interface IncidentList {
  /** File name, stable across runs, such as `week-2026-11-09`. */
  id: string
  label: string
  /** The time range in words, because some numbers cover more than the period. Null if the list has no time limits. */
  time: string | null
  of: 'incident' | 'page'
  /**
   * The time that is the subject of the number. The list is sorted by it, longest first. Null if the number counts
   * incidents or pages.
   */
  measure: Measure | null
  count: number
  first: readonly ListedIncident[]
  /** Query string of `/explore` for the same incidents. Null if the explorer cannot filter by them. */
  filter: string | null
}

export interface Lists {
  lists: readonly IncidentList[]
  /** Contents of `all_incidents.csv`, and of `all_pages.csv` if a number counts pages. */
  all: readonly Pick<QueryResult, 'name' | 'columns' | 'rows'>[]
  filter: string | null
  /** Whether there are more incidents than the limit for files. The report then has no lists. */
  isCut: boolean
}
