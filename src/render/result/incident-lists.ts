import type { QueryResult, Value } from './query-result.ts'

/** An incident, or a page, in a list. Its texts are the service's, so untrusted like any value. */
export interface ListedIncident {
  title: Value
  severity: string
  /** When it started, or when somebody was paged. */
  startedAt: Value
  /** Seconds, so far where it is open. */
  lasted: Value
  isOpen: boolean
  url: Value
}

/** What one number counts. */
export interface IncidentList {
  /** The name of its file: `week-2026-11-09`, the same in every run. */
  id: string
  label: string
  /** When what it has was, in words: not all of it is of the period. Null of any time. */
  time: string | null
  of: 'incident' | 'page'
  count: number
  /** The first of them: the worst, then the longest. */
  first: readonly ListedIncident[]
  /** The same incidents behind the `?` of `/explore`, which `serve` leads to; null where it cannot filter by them. */
  filter: string | null
}

/** The incidents behind the figures of a report. */
export interface Lists {
  lists: readonly IncidentList[]
  /** What becomes files: `all_incidents.csv`, and `all_pages.csv` where a number counts pages. */
  all: readonly Pick<QueryResult, 'name' | 'columns' | 'rows'>[]
  /** All incidents of the period as a `filter`. */
  filter: string | null
  /** There are more than those files have, and so no lists. */
  isCut: boolean
}
