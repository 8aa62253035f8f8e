import { isCount, LIKE_A_CACHE, pageError } from '../client/paging.ts'
import { TOTAL_EXACT_BELOW } from '../contract/assumptions.ts'
import type { Resource } from '../resources/resource.ts'
import { at, keyOf, pathOf, type RecordRow } from '../warehouse/load/record-row.ts'
import type { Window } from './slice.ts'

/** Pages in a row without a later time of the window: 5,000 incidents that start in one second are no storm, but a loop. */
const PAGES_AT_REST = 50

/** Two million incidents in a window of 31 days at most. */
const PAGES_MOST = 20_000

/** Rows beyond the total that come in while a window is read. */
const ROWS_MEANWHILE = 500

/**
 * Bounds the pages of a window by what it can hold, whatever cursors the service gives: rows come in the order of their
 * start, so each page has to get on.
 * @returns checks the next page; throws ContractError when there is no end to be seen
 */
export function boundedBy(resource: Resource, start: string, window: Window) {
  const path = pathOf(resource, start)
  const key = keyOf(resource)
  const fail = (message: string) => pageError(resource.operation, resource.items.join('.'), message)
  let [pages, rows, atRest, latest, before] = [0, 0, 0, Number.NEGATIVE_INFINITY, '']
  return (items: readonly unknown[], total: unknown): void => {
    if (total !== undefined && total !== null && !isCount(total))
      throw pageError(resource.operation, 'total', 'expected a count')
    pages += 1
    rows += items.length
    const times = items.map((item) => Number(at(item, path))).filter((time) => time <= window.end)
    const last = Math.max(...times)
    atRest = last > latest ? 0 : atRest + 1
    latest = Math.max(latest, last)
    const ends = [items[0], items.at(-1)].map((item) => (isRecord(item) ? key(item) : '')).join()
    if (items.length > 1 && ends === before) throw fail(`a page came a second time: ${LIKE_A_CACHE}`)
    before = ends
    const most = total === undefined || total === null ? TOTAL_EXACT_BELOW : Number(total)
    if (most < TOTAL_EXACT_BELOW && rows > 2 * most + ROWS_MEANWHILE)
      throw fail(`more rows than its total of ${most}`)
    if (atRest >= PAGES_AT_REST || pages > PAGES_MOST)
      throw fail(
        `the last ${Math.min(pages, PAGES_AT_REST)} pages brought nothing of the window that is newer`,
      )
  }
}

function isRecord(item: unknown): item is RecordRow {
  return typeof item === 'object' && item !== null
}
