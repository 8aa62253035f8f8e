import { PAGE_LIMIT_MAX } from '../contract/limits.ts'
import {
  cut,
  type DoneWindow,
  LONGEST_S,
  type Reason,
  type Slice,
  type SyncScope,
  subtract,
  unsettled,
  type Window,
} from './slice.ts'

const DAY_S = 86_400

/** Long windows are cut into at least this many pieces, which are read in parallel because responses are slow. */
const SIDE_BY_SIDE = 8

export interface OpenWindow extends Window {
  readonly reason: Reason
  readonly cursor: string | null
}

/** A stored record to request by id, whatever its age. */
export interface OpenRecord {
  readonly id: string
  readonly start: number
}

/** All times are Unix seconds. */
export interface PlanInput extends SyncScope {
  readonly resource: string
  /** Start of the interrupted run that this run continues. Windows read since then are not read again. */
  readonly chainStart: number | null
  readonly done: readonly DoneWindow[]
  /** Windows that were read to their end, verified or not. */
  readonly looked: readonly DoneWindow[]
  /**
   * All windows that were begun, including failed ones. Otherwise each run could begin with the same unreadable window.
   */
  readonly tried: readonly DoneWindow[]
  readonly unfinished: readonly OpenWindow[]
  readonly stillOpen: readonly OpenRecord[]
  /** Records that went missing recently. They are requested again, because the service might have been wrong. */
  readonly vanished: readonly OpenRecord[]
  /** Estimated number of stored rows that start in the window. */
  readonly countIn: (window: Window) => number
}

/**
 * Decides what to read, most urgent first. No time is planned twice. The reasons are:
 * - `new`: the time since the end of the last window
 * - `backfill`: history that was never read
 * - `lookback`: windows whose records were younger than `lookbackDays` when they were last read
 * - `still-open`: older records that are not closed
 * - `vanished`: records that went missing recently
 * - `sweep`: the old window that was not tried for the longest time
 * - `reopened`: open records in the rest of the history, because closed records can be reopened after months
 */
export function planWindows(input: PlanInput): Slice[] {
  const until = Math.min(input.until ?? input.now, input.now)
  const wanted = { start: input.since, end: until }
  const ids = (taken: readonly Window[]) => [
    ...byIds(input, 'still-open', input.stillOpen, until, taken),
    ...byIds(input, 'vanished', input.vanished, until, taken),
  ]
  const { chainStart } = input
  const fresh = chainStart === null ? [] : input.done.filter((window) => window.readAt >= chainStart)
  if (wanted.end <= wanted.start) return ids(fresh)
  const covered = input.full ? fresh : input.done
  const resumed = resumable(input.unfinished, fresh)
  const watermark = Math.max(...covered.map((window) => window.end), Number.NEGATIVE_INFINITY)
  const missing = subtract(wanted, [...covered, ...resumed])
  const young = unsettled(input, input.looked)
  const again = young.flatMap((window) => subtract(window, [...fresh, ...missing, ...resumed]))
  const taken = [...fresh, ...missing, ...resumed, ...again]
  const swept = sweep(input, { start: wanted.start, end: young.at(-1)!.start }, taken)
  return [
    ...resumed.map((window) => slice(input, window.reason, window, window.cursor)),
    ...missing.flatMap((window) =>
      pieces(input, window, false).map((piece) =>
        slice(input, piece.start >= watermark && covered.length > 0 ? 'new' : 'backfill', piece),
      ),
    ),
    ...again.flatMap((window) => pieces(input, window, true).map((piece) => slice(input, 'lookback', piece))),
    ...ids([...taken, ...swept]),
    ...swept.flatMap((window) => pieces(input, window, true).map((piece) => slice(input, 'sweep', piece))),
    ...reopened(input, subtract(wanted, [...taken, ...swept])),
  ]
}

/** Returns unfinished windows that can be resumed. Skips lookback windows, because every run plans them again. */
function resumable(unfinished: readonly OpenWindow[], fresh: readonly Window[]): OpenWindow[] {
  const chosen: OpenWindow[] = []
  for (const window of unfinished) {
    // An older version of the program could begin windows that are longer than allowed now.
    if (window.reason === 'lookback' || window.end - window.start > LONGEST_S) continue
    const left = subtract(window, [...fresh, ...chosen])
    if (left.length === 1 && left[0]!.start === window.start && left[0]!.end === window.end)
      chosen.push(window)
  }
  return chosen.sort((a, b) => a.start - b.start)
}

/** Minimum pages per piece of a window that was read before. Smaller pieces are not worth a request. */
const PAGES_A_PIECE = 5

function pieces(input: PlanInput, window: Window, known: boolean): Window[] {
  const maxSeconds = Math.min(input.windowSeconds, LONGEST_S)
  const worth = Math.ceil(input.countIn(window) / (PAGES_A_PIECE * PAGE_LIMIT_MAX))
  const atLeast = known ? Math.min(SIDE_BY_SIDE, Math.max(1, worth)) : SIDE_BY_SIDE
  return cut(window, { maxSeconds, minSeconds: 2 * DAY_S, atLeast })
}

function slice(input: PlanInput, reason: Reason, window: Window, cursor: string | null = null): Slice {
  const stored = input.countIn(window)
  return {
    resource: input.resource,
    reason,
    window: { start: window.start, end: window.end },
    ids: null,
    cursor,
    isFirst: stored === 0,
    requests: Math.max(1, Math.ceil(stored / PAGE_LIMIT_MAX)),
  }
}

/** Plans requests by id. Includes records before `since`, and skips records in the windows in `taken`. */
function byIds(
  input: PlanInput,
  reason: Reason,
  records: readonly OpenRecord[],
  until: number,
  taken: readonly Window[],
): Slice[] {
  const inside = ({ start, end }: Window, record: OpenRecord) => record.start >= start && record.start < end
  const old = records
    .filter((record) => record.start < until && !taken.some((window) => inside(window, record)))
    .sort((a, b) => a.start - b.start)
  const groups: OpenRecord[][] = []
  for (const record of old) {
    const group = groups.at(-1)
    const fits = group && group.length < PAGE_LIMIT_MAX && record.start - group[0]!.start < LONGEST_S
    if (fits) group.push(record)
    else groups.push([record])
  }
  return groups.map((group) => ({
    resource: input.resource,
    reason,
    window: { start: group[0]!.start, end: group.at(-1)!.start + 1 },
    ids: group.map((record) => record.id),
    cursor: null,
    requests: 1,
  }))
}

/**
 * Plans requests for the open records of old windows. Windows that were empty are read fully, because an earlier empty
 * response might have been wrong.
 */
function reopened(input: PlanInput, windows: readonly Window[]): Slice[] {
  const maxSeconds = Math.min(input.windowSeconds, LONGEST_S)
  return windows
    .flatMap((window) => cut(window, { maxSeconds, minSeconds: DAY_S, atLeast: 1 }))
    .map((window) => ({
      resource: input.resource,
      reason: 'reopened',
      window,
      ids: null,
      ...(input.countIn(window) === 0 ? { isFirst: true } : { onlyOpen: true }),
      cursor: null,
      requests: 1,
    }))
}

/** Length of a slot: the part of the old history that one run reads again. */
const SLOT_S = 30 * DAY_S

/**
 * Returns the slot that was not tried for the longest time, minus the windows in `taken`. Slots start at multiples of
 * their length. If they started at `since`, which moves every day, the first slot would always be chosen.
 */
function sweep(input: PlanInput, past: Window, taken: readonly Window[]): Window[] {
  if (input.full || input.until !== undefined) return []
  const slots: Window[] = []
  for (let start = past.start - (past.start % SLOT_S); start < past.end; start += SLOT_S) {
    slots.push({ start: Math.max(start, past.start), end: Math.min(start + SLOT_S, past.end) })
  }
  const tries = slots.map((slot) => ({ slot, at: oldestTry(slot, input.tried) })).sort((a, b) => a.at - b.at)
  const oldest = tries.find(({ at }) => at < (input.chainStart ?? Number.POSITIVE_INFINITY))
  return oldest ? subtract(oldest.slot, taken) : []
}

/** Returns when the least recently tried part of a slot was tried, or Infinity if no part was tried. */
function oldestTry(slot: Window, tried: readonly DoneWindow[]): number {
  const inside = tried.filter((window) => window.start < slot.end && window.end > slot.start)
  const edges = [slot.start, ...inside.flatMap((window) => [window.start, window.end])]
  const moments = edges.filter((edge) => edge >= slot.start && edge < slot.end)
  const lastTries = moments.map((moment) =>
    Math.max(...inside.filter((w) => w.start <= moment && w.end > moment).map((w) => w.readAt)),
  )
  // -Infinity means that this time was never tried. Such times are planned as `backfill`.
  return Math.min(...lastTries.filter((look) => look > Number.NEGATIVE_INFINITY))
}
