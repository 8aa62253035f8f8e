import { PAGE_LIMIT_MAX } from '../contract/limits.ts'

/** Page sizes, of which each divides the previous one, so that a numbered page can start where a larger page ended. */
const SIZES = [PAGE_LIMIT_MAX, 50, 25, 5, 1] as const

const GOOD_PAGES = 4

export type PageSize = ReturnType<typeof createPageSize>

/** Creates the page size of a read. It shrinks after a failed page, and grows again after some successful pages. */
export function createPageSize() {
  let step = 0
  let first = 0
  let good = 0
  return {
    get rows(): number {
      return SIZES[step]!
    },
    /** Reduces the size by one step, or by two after a timeout. Returns false if a page already has one row. */
    shrink(isTimeout: boolean): boolean {
      good = 0
      const last = SIZES.length - 1
      if (step === last) return false
      if (isTimeout) first = step + 1
      step = Math.min(step + (isTimeout ? 2 : 1), last)
      return true
    },
    /** Counts a successful page that ends before row `offset`. Returns whether the size increased. */
    grow(offset = 0): boolean {
      good += 1
      if (step === first || good < GOOD_PAGES || offset % SIZES[step - 1]! !== 0) return false
      step -= 1
      good = 0
      return true
    },
  }
}
