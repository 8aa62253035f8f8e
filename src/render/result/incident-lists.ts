import type { QueryResult, Value } from './query-result.ts'

/** An incident or a page in a list. Its texts come from the service and are untrusted. */
export interface ListedIncident {
  title: Value
  severity: string
  /** Start of the incident, or time of the page. */
  startedAt: Value
  /** Seconds, up to now for an open incident. */
  lasted: Value
  isOpen: boolean
  url: Value
}

export interface IncidentList {
  /** File name, stable across runs, such as `week-2026-11-09`. */
  id: string
  label: string
  /** Time range in words, because some numbers cover more than the period. Null if the list is not limited to a time. */
  time: string | null
  of: 'incident' | 'page'
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
  /** More incidents exist than the files may contain, so there are no lists. */
  isCut: boolean
}
