import { PAGE_LIMIT_MAX } from '../contract/limits.ts'
import type { Resource } from '../resources/resource.ts'
import { cut, LONGEST_S, type Slice, type Window } from './slice.ts'

/** Whether the slice is read last. The reads of old windows for open records return most of its ids before that. */
export const isLast = ({ reason }: Slice): boolean => reason === 'still-open'

/** Removes ids of records that were already read. Joins neighboring slices if one request can cover both. */
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

/** Maximum number of requests that one sync plans here: one minute of the full rate limit. */
const REQUESTS_MOST = 1_000

/** Plans requests for records by id over the entire history, because their start is unknown. Omits ids if too many. */
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
      // The records are in one window at most, so the answers about the other windows do not make them missing.
      isFirst: true,
      requests: 1,
    })),
  )
}
