import { PAGE_LIMIT_MAX } from '../contract/limits.ts'

/**
 * Page sizes. Each divides the previous one, so that a numbered page can always start where a page of another size
 * ended.
 */
const SIZES = [PAGE_LIMIT_MAX, 50, 25, 5, 1] as const

/** Number of successful pages in a row after which a larger size is tried again. */
const GOOD_PAGES = 4

/**
 * Number of rows to request per page of a slice. It falls after a failed page, and rises again after successful pages.
 */
export interface PageSize {
  readonly rows: number
  /**
   * Reduces the size by one step. After a timeout, reduces it permanently by two steps. Returns false if the size is
   * already one row.
   */
  shrink(isTimeout: boolean): boolean
  /**
   * Counts a successful page. `offset` is the number of rows before the next numbered page. Returns whether the size was
   * increased.
   */
  grow(offset?: number): boolean
}

export function createPageSize(): PageSize {
  let step = 0
  let first = 0
  let good = 0
  return {
    get rows() {
      return SIZES[step]!
    },
    shrink(isTimeout) {
      good = 0
      const last = SIZES.length - 1
      if (step === last) return false
      if (isTimeout) first = step + 1
      step = Math.min(step + (isTimeout ? 2 : 1), last)
      return true
    },
    grow(offset = 0) {
      good += 1
      if (step === first || good < GOOD_PAGES || offset % SIZES[step - 1]! !== 0) return false
      step -= 1
      good = 0
      return true
    },
  }
}
