import { PAGE_LIMIT_MAX } from '../contract/limits.ts'
import { LONGEST_S, type Slice } from './slice.ts'

/** What is asked for by id only after everything else: the old windows, asked for what is open there, bring nearly all. */
export const isLast = ({ reason }: Slice): boolean => reason === 'still-open'

/**
 * Slices by id, without the ids that were brought already; neighbours become one again as far as one request may name them
 * and one legal window holds them.
 */
export function withoutBrought(slices: readonly Slice[], brought: ReadonlySet<string>): Slice[] {
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
