import type { PlanInput } from '../../src/sync/plan.ts'
import { askedWindow, type DoneWindow, type Reason, type Slice, type Window } from '../../src/sync/slice.ts'

export const DAY = 86_400
export const MONTH = 31 * DAY
export const epoch = 1_700_000_000

export const input = (more: Partial<PlanInput> = {}): PlanInput => ({
  resource: 'incidents',
  now: epoch + 400 * DAY,
  since: epoch,
  lookbackDays: 31,
  windowSeconds: MONTH,
  full: false,
  chainStart: null,
  done: [],
  looked: more.done ?? [],
  tried: more.looked ?? more.done ?? [],
  unfinished: [],
  stillOpen: [],
  vanished: [],
  countIn: () => 0,
  ...more,
})

export const spansOf = (slices: readonly Slice[], ...reasons: Reason[]) =>
  slices
    .filter((one) => (reasons.length === 0 ? isWhole(one) : reasons.includes(one.reason)))
    .map((one) => one.window!)
export const isWhole = (one: Slice) => one.ids === null && one.reason !== 'reopened'
export const length = (windows: readonly Window[]) =>
  windows.reduce((sum, { start, end }) => sum + end - start, 0)
export const reasonsOf = (slices: readonly Slice[]) => [...new Set(slices.map((one) => one.reason))]
export const requestOf = (one: Slice) => ({
  start_time: askedWindow(one.window!).start,
  end_time: askedWindow(one.window!).end,
  ...(one.ids ? { incident_ids: one.ids } : {}),
})

/** Returns the windows of a plan as a run at `readAt` would finish them. */
export const finish = (slices: readonly Slice[], readAt: number): DoneWindow[] =>
  spansOf(slices).map(({ start, end }) => ({ start, end, readAt }))
