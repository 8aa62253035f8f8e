import type { QueryResult, Value } from './query-result.ts'

/** An incident in a list. Its texts are the service's, so untrusted like any value. */
export interface ListedIncident {
  title: Value
  severity: string
  startedAt: Value
  /** Seconds, so far where it is open. */
  lasted: Value
  isOpen: boolean
  /** Names of its responders. */
  holders: Value
  url: Value
  /** Indexes of the lists it belongs to. */
  lists: readonly number[]
}

/** The incidents behind the figures of a report. */
export interface Behind {
  lists: readonly {
    /** `week-2026-11-09`: also its place in the page. */
    id: string
    label: string
    count: number
    /** Indexes of the first of its incidents: the worst, then the longest. */
    first: readonly number[]
  }[]
  incidents: readonly ListedIncident[]
  /** What becomes `all_incidents.csv`. */
  all: Pick<QueryResult, 'columns' | 'rows'>
  /** There are more than that file has. */
  isCut: boolean
}
