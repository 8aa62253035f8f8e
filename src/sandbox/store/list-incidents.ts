import { TOTAL_EXACT_BELOW } from '../../contract/assumptions.ts'
import type { Position } from './cursor.ts'
import type { RowTest } from './incident-filter.ts'
import { type IncidentSet, lowerBound } from './incident-set.ts'

/** What is asked of the list. Times are Unix seconds; the window holds its start, not its end. */
export interface ListQuery {
  startTime: number
  endTime: number
  asc: boolean
  tests: readonly RowTest[]
  /** Only these, when given. */
  incidentIds: readonly string[] | undefined
  limit: number
  /** Rows to pass over, or the row to go on after. */
  from: { skip: number } | { after: Position }
}

/** Indexes of one page, with what the page says about the rest. */
export interface ListAnswer {
  indexes: number[]
  /** Exact below 1,000, and 1,000 from there on. */
  total: number
  hasNext: boolean
}

/** Reads one page. Order: start_time, then incident_id; newest first is the exact reverse of `asc`. */
export function listIncidents(set: IncidentSet, query: ListQuery): ListAnswer {
  const candidates =
    query.incidentIds === undefined ? windowOf(set, query) : named(set, query, query.incidentIds)
  const passes = (index: number) => isMatch(set, index, query.tests)
  let total = 0
  let skipped = 0
  const indexes: number[] = []
  let hasNext = false
  const after = 'after' in query.from ? query.from.after : undefined
  const skip = 'skip' in query.from ? query.from.skip : 0
  let mayJump = after !== undefined
  const { length } = candidates
  for (let k = 0; k < length; k++) {
    const index = candidates.at(query.asc ? k : length - 1 - k)
    if (!passes(index)) continue
    total++
    const isPast = after === undefined ? skipped++ >= skip : isBehind(set, index, after, query.asc)
    if (isPast) {
      if (indexes.length < query.limit) indexes.push(index)
      else hasNext = true
    }
    if (hasNext && total >= TOTAL_EXACT_BELOW) break
    if (mayJump && total >= TOTAL_EXACT_BELOW) {
      // The count is settled: go straight to the cursor.
      mayJump = false
      k = Math.max(k, jump(set, candidates, after!, query.asc) - 1)
    }
  }
  return { indexes, total: Math.min(total, TOTAL_EXACT_BELOW), hasNext }
}

interface Candidates {
  readonly length: number
  at(k: number): number
}

function windowOf(set: IncidentSet, query: ListQuery): Candidates {
  const low = lowerBound(set, query.startTime)
  const high = lowerBound(set, query.endTime)
  return { length: Math.max(0, high - low), at: (k) => low + k }
}

function named(set: IncidentSet, query: ListQuery, ids: readonly string[]): Candidates {
  const found = new Set<number>()
  for (const id of ids) {
    const index = set.find(id)
    if (index === undefined) continue
    const start = set.startOf(index)
    if (start >= query.startTime && start < query.endTime) found.add(index)
  }
  const sorted = [...found].sort((a, b) => a - b)
  return { length: sorted.length, at: (k) => sorted[k]! }
}

/** The first place in reading order that can lie behind the position: where its start_time begins. */
function jump(set: IncidentSet, candidates: Candidates, after: Position, asc: boolean): number {
  let low = 0
  let high = candidates.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const start = set.startOf(candidates.at(asc ? middle : candidates.length - 1 - middle))
    if (asc ? start < after.startTime : start > after.startTime) low = middle + 1
    else high = middle
  }
  return low
}

function isBehind(set: IncidentSet, index: number, after: Position, asc: boolean): boolean {
  const start = set.startOf(index)
  if (start !== after.startTime) return asc ? start > after.startTime : start < after.startTime
  const id = set.idOf(index)
  return asc ? id > after.incidentId : id < after.incidentId
}

function isMatch(set: IncidentSet, index: number, tests: readonly RowTest[]): boolean {
  if (!set.isListed(index)) return false
  if (tests.length === 0) return true
  const row = set.row(index)
  return tests.every((test) => test(row, () => set.textOf(index)))
}
