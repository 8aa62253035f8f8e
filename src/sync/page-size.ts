import { PAGE_LIMIT_MAX } from '../contract/limits.ts'

/** Sizes of a page. Each divides the one before, so that numbered pages of any size begin where one of another size ended. */
const SIZES = [PAGE_LIMIT_MAX, 50, 25, 5, 1] as const

/** Good pages in a row after which larger ones are tried again. */
const GOOD_PAGES = 4

/** Rows to ask for in each request of a slice: fewer after a page that could not be had, more again after good ones. */
export interface PageSize {
  readonly rows: number
  /** Asks for fewer rows from now on, by so many sizes. @returns false if it is one row already */
  shrink(sizes?: number): boolean
  /**
   * Counts a good page.
   * @param offset rows before the next page, where pages are numbered
   * @returns whether more rows are asked for from now on
   */
  grow(offset?: number): boolean
}

export function createPageSize(): PageSize {
  let step = 0
  let good = 0
  return {
    get rows() {
      return SIZES[step]!
    },
    shrink(sizes = 1) {
      good = 0
      const isSmaller = step < SIZES.length - 1
      step = Math.min(step + sizes, SIZES.length - 1)
      return isSmaller
    },
    grow(offset = 0) {
      good += 1
      if (step === 0 || good < GOOD_PAGES || offset % SIZES[step - 1]! !== 0) return false
      step -= 1
      good = 0
      return true
    },
  }
}
