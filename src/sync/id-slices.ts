import { PAGE_LIMIT_MAX } from '../contract/limits.ts'
import type { Resource } from '../resources/resource.ts'
import { cut, LONGEST_S, type Slice, type Window } from './slice.ts'

/**
 * Whether a slice requests known open records. Such slices come last, because other requests return most of these
 * records.
 */
export const isLast = ({ reason }: Slice): boolean => reason === 'still-open'

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

/** Maximum number of requests in the search for missing records: as many as the rate limit allows in one minute. */
const REQUESTS_MOST = 1_000

/** Plans requests by id for the whole history, because start times are unknown. Omits ids beyond the maximum. */
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
      // Prevents the conclusion that a record is missing, because each record is in only one of the windows.
      isFirst: true,
      requests: 1,
    })),
  )
}
