import type { Client } from '../client/client.ts'
import { isCount, LIKE_A_CACHE, pageError } from '../client/paging.ts'
import type { Reply } from '../client/send.ts'
import { TOTAL_EXACT_BELOW } from '../contract/assumptions.ts'
import { ContractError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import { at, keyOf, pathOf, type RecordRow } from '../warehouse/load/record-row.ts'
import type { SyncScope, Window } from './slice.ts'

/** What pages are read with. */
export interface ReadContext {
  readonly client: Client
  readonly scope: SyncScope
  readonly signal: AbortSignal
}

/** One answer of the service, as far as the load needs to know it. */
export interface Page {
  /** The records, not validated. */
  readonly items: readonly unknown[]
  readonly requestId: string
  /** Where reading goes on after this page; null when it cannot be resumed there. */
  readonly cursor: string | null
  /** The service's clock when it answered, milliseconds since the epoch; null where it does not say. */
  readonly serviceTime: number | null
  /** The number of records the service says there are, where it says so. */
  readonly total: number | null
  /** Ids that were asked for, found or not. */
  readonly checked?: readonly string[]
  /** Those of them that the service does not have. */
  readonly missing?: readonly string[]
}

/** The page of an answer that cannot be resumed, with the total it names. @throws ContractError when it holds no list of records */
export function pageOf(resource: Resource, { data, requestId, serviceTime }: Reply<unknown>): Page {
  const total = resource.items.length === 0 ? undefined : at(data, ['total'])
  return {
    items: itemsOf(resource, data, requestId),
    requestId,
    serviceTime,
    cursor: null,
    total: isCount(total) ? Number(total) : null,
  }
}

/** The records in an answer's data: the list at the resource's path, or `data` itself as a list or as the one record. */
function itemsOf(resource: Resource, data: unknown, requestId: string): readonly unknown[] {
  if (resource.items.length === 0) return Array.isArray(data) ? data : [data]
  const items = at(data, resource.items)
  if (Array.isArray(items)) return items
  const path = resource.items.join('.')
  throw new ContractError(
    `${resource.operation}: the answer does not fit the contract: ${path}: expected a list (request ${requestId})`,
    {
      operation: resource.operation,
      issues: [{ path, message: 'expected a list' }],
      next: 'Quote the request id to the service. Nothing of this answer was stored.',
    },
  )
}

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
