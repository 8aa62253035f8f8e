import { PAGE_LIMIT_MAX } from '../contract/limits.ts'

/** Sizes of a page. Each divides the one before, so that numbered pages of any size begin where one of another size ended. */
const SIZES = [PAGE_LIMIT_MAX, 50, 25, 5, 1] as const

/** Good pages in a row after which larger ones are tried again. */
const GOOD_PAGES = 4

/** Rows to ask for in each request of a slice: fewer after a page that could not be had, more again after good ones. */
export interface PageSize {
  readonly rows: number
  /**
   * Asks for fewer rows from now on. After a timeout by two sizes, and never again for as many as took too long: each try costs
   * minutes.
   * @returns false if it is one row already
   */
  shrink(isTimeout: boolean): boolean
  /**
   * Counts a good page.
   * @param offset rows before the next page, where pages are numbered
   * @returns whether more rows are asked for from now on
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
