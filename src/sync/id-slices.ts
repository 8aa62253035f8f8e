import { PAGE_LIMIT_MAX } from '../contract/limits.ts'
import type { Resource } from '../resources/resource.ts'
import { cut, LONGEST_S, type Slice, type Window } from './slice.ts'

/**
 * Whether the slice is read last. By then, most of its ids have already come up in old windows that were read for open
 * records.
 */
export const isLast = ({ reason }: Slice): boolean => reason === 'still-open'

/** Removes ids that were already fetched. Joins neighboring slices if one request can cover both. */
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

/** Maximum requests per night for this search: one minute of the full rate limit. */
const REQUESTS_MOST = 1_000

/**
 * Plans requests for records by id over the entire history, because the start of the records is unknown. For one year, that
 * takes 12 requests per 100 ids. Omits ids beyond the nightly maximum.
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
      // Most of these windows do not contain the ids, so an empty answer does not make a record missing.
      isFirst: true,
      requests: 1,
    })),
  )
}
