import { TOTAL_EXACT_BELOW } from '../../contract/assumptions.ts'
import type { IncidentTest } from './incident-filter.ts'
import type { Incidents } from './world.ts'

interface Position {
  startTime: number
  incidentId: string
}

/** A request for incidents. Times are Unix seconds. The window includes its start, but not its end. */
export interface ListQuery {
  startTime: number
  endTime: number
  asc: boolean
  tests: readonly IncidentTest[]
  onlyOpen: boolean
  incidentIds: readonly string[] | undefined
  limit: number
  from: { skip: number } | { after: Position }
}

interface ListAnswer {
  indexes: number[]
  /** Number of matching incidents. Exact below 1,000, otherwise 1,000. */
  total: number
  hasNext: boolean
}

/** Returns one page, ordered by start_time, then incident_id. Without `asc`, the order is exactly reversed. */
export function listIncidents(incidents: Incidents, query: ListQuery): ListAnswer {
  const { asc, limit, tests, from } = query
  const candidates =
    query.incidentIds === undefined
      ? candidatesOf(incidents, query)
      : candidatesAmong(incidents, query, query.incidentIds)
  const { length } = candidates
  const candidate = (k: number) => candidates.at(asc ? k : length - 1 - k)
  const isBefore = (time: number, other: number) => (asc ? time < other : time > other)
  const after = 'after' in from ? from.after : undefined
  const isBehind = (index: number, { startTime, incidentId }: Position) => {
    const start = incidents.startOf(index)
    if (start !== startTime) return isBefore(startTime, start)
    return asc ? incidents.idOf(index) > incidentId : incidents.idOf(index) < incidentId
  }
  let toSkip = 'skip' in from ? from.skip : 0
  let total = 0
  const indexes: number[] = []
  let hasNext = false
  for (let k = 0; k < length; k++) {
    const index = candidate(k)
    if ((query.onlyOpen && incidents.isClosedForGood(index)) || !incidents.isListed(index)) continue
    if (tests.length > 0) {
      const record = incidents.record(index)
      if (!tests.every((test) => test(record))) continue
    }
    total++
    const isPast = after === undefined ? toSkip-- <= 0 : isBehind(index, after)
    if (isPast && indexes.length < limit) indexes.push(index)
    else if (isPast) hasNext = true
    if (total < TOTAL_EXACT_BELOW) continue
    if (hasNext) break
    // The total cannot grow any more, so the rows before the cursor are skipped instead of counted.
    if (after !== undefined && total === TOTAL_EXACT_BELOW) {
      const first = firstWhere(length, (n) => !isBefore(incidents.startOf(candidate(n)), after.startTime))
      k = Math.max(k, first - 1)
    }
  }
  return { indexes, total: Math.min(total, TOTAL_EXACT_BELOW), hasNext }
}

interface Candidates {
  readonly length: number
  at(k: number): number
}

function candidatesOf(incidents: Incidents, { startTime, endTime }: ListQuery): Candidates {
  const firstFrom = (time: number) =>
    firstWhere(incidents.count(), (index) => incidents.startOf(index) >= time)
  const low = firstFrom(startTime)
  return { length: Math.max(0, firstFrom(endTime) - low), at: (k) => low + k }
}

function candidatesAmong(incidents: Incidents, query: ListQuery, ids: readonly string[]): Candidates {
  const found = new Set<number>()
  for (const id of ids) {
    const index = incidents.find(id)
    if (index === undefined) continue
    const start = incidents.startOf(index)
    if (start >= query.startTime && start < query.endTime) found.add(index)
  }
  const sorted = [...found].sort((a, b) => a - b)
  return { length: sorted.length, at: (k) => sorted[k]! }
}

/** Finds the first number from which on the condition always holds, or `count`. Uses binary search. */
export function firstWhere(count: number, holds: (n: number) => boolean): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Encodes a position. A cursor contains no row number, so it stays valid when rows are added or removed. */
export function writeCursor({ startTime, incidentId }: Position): string {
  return Buffer.from(`${startTime}.${incidentId}`).toString('base64url')
}

export function readCursor(cursor: string): Position | undefined {
  const match = /^(-?\d{1,15})\.([0-9a-fA-F]{24})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (match === null) return undefined
  return { startTime: Number(match[1]), incidentId: match[2]! }
}
