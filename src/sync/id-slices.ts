import { PAGE_LIMIT_MAX } from '../contract/limits.ts'
import type { Resource } from '../resources/resource.ts'
import { cut, LONGEST_S, type Slice, type Window } from './slice.ts'

/** What is asked for by id only after everything else: the old windows, asked for what is open there, bring nearly all. */
export const isLast = ({ reason }: Slice): boolean => reason === 'still-open'

/**
 * Slices by id, without the ids that were brought already; neighbours become one again as far as one request may name them
 * and one legal window holds them.
 */
export function skipFetchedIds(slices: readonly Slice[], brought: ReadonlySet<string>): Slice[] {
  const left: Slice[] = []
  for (const slice of slices) {
    const ids = slice.ids!.filter((id) => !brought.has(id))
    if (ids.length === 0) continue
    const last = left.at(-1)
    const window = { start: last?.window?.start ?? 0, end: slice.window!.end }
    const fits =
      last &&
      last.ids!.length + ids.length <= PAGE_LIMIT_MAX &&
      window.start <= slice.window!.start &&
      window.end - window.start <= LONGEST_S
    if (fits) left[left.length - 1] = { ...last, window, ids: [...last.ids!, ...ids] }
    else left.push({ ...slice, ids })
  }
  return left
}

/** What a night may spend on it: a minute of the whole quota. */
const REQUESTS_MOST = 1_000

/**
 * Requests for records by their ids wherever in the history they start: 100 ids in each legal window. Of a year that is 12
 * requests for each 100; beyond what a night may spend, the last ids are left out.
 */
export function searchSlices(resource: Resource, keys: readonly string[], history: Window): Slice[] {
  const windows = cut(history, { maxSeconds: LONGEST_S, minSeconds: LONGEST_S, atLeast: 1 })
  const most = Math.max(1, Math.floor(REQUESTS_MOST / windows.length))
  const groups: (readonly string[])[] = []
  for (let at = 0; at < keys.length && groups.length < most; at += PAGE_LIMIT_MAX)
    groups.push(keys.slice(at, at + PAGE_LIMIT_MAX))
  return groups.flatMap((ids) =>
    windows.map((window) => ({
      resource: resource.table,
      reason: 'vanished' as const,
      window,
      ids,
      cursor: null,
      // Nothing is missing of a window that none of them was expected in.
      isFirst: true,
      requests: 1,
    })),
  )
}
