import { MEMBER_LIMIT_DEFAULT, TOTAL_EXACT_BELOW } from '../contract/assumptions.ts'
import { type OperationName, operations, type RequestOf } from '../contract/index.ts'
import { stringifyJson } from '../contract/json.ts'
import type { Operation } from '../contract/operation.ts'
import { ContractError } from '../errors.ts'
import type { CallOptions, Client } from './client.ts'
import type { Reply } from './send.ts'

export interface PageBody {
  p?: number | bigint | null | undefined
  limit?: number | bigint | null | undefined
  search_after_ctx?: string | null | undefined
}

/** Yields one request body per page, and receives the `data` of each response through `next()`. */
export type Pages<Body> = Generator<Body, void, unknown>

/**
 * Follows cursors until `has_next_page` is false. If a response has neither this field nor a cursor, `total` shows
 * whether the list is complete.
 * @throws ContractError if a next page has no cursor, or a cursor is repeated
 */
export function* cursorPages<Body extends PageBody>(operation: string, first: Body): Pages<Body> {
  // A page number could contradict the cursor, so it is removed.
  const { p: _, ...rest } = first
  const seen = new Set([first.search_after_ctx])
  let body = first
  let rows = 0
  while (true) {
    const { has_next_page: more, search_after_ctx: cursor, items, total } = fieldsOf(yield body)
    const count = Array.isArray(items) ? items.length : 0
    rows += count
    const hasCursor = typeof cursor === 'string' && cursor !== ''
    if (more === false) return
    if (more !== true && !hasCursor) {
      // If this read started at a cursor, the earlier rows are not counted, so a short page ends the list.
      const isShort = first.search_after_ctx && count < Number(first.limit)
      if (isCount(total) && (isShort || rows >= Math.min(Number(total), TOTAL_EXACT_BELOW))) return
      throw pageError(operation, 'has_next_page', 'expected true or false')
    }
    if (!hasCursor)
      throw pageError(operation, 'search_after_ctx', 'expected a cursor, since there is a next page')
    if (seen.has(cursor)) throw pageError(operation, 'search_after_ctx', 'this cursor was returned before')
    seen.add(cursor)
    body = { ...rest, search_after_ctx: cursor } as Body
  }
}

/** Reads pages until `p × limit` reaches `total` or a page is empty. @throws ContractError if pages repeat */
export function* numberedPages<Body extends PageBody>(operation: string, first: Body): Pages<Body> {
  let before = ''
  for (let p = Number(first.p || 1); ; p++) {
    const { items, total, limit } = fieldsOf(yield { ...first, p })
    if (!isCount(total)) throw pageError(operation, 'total', 'expected a count')
    // A service whose `total` is too high might return its last page again and again.
    const page = stringifyJson(items)
    if (p > 1 && Array.isArray(items) && items.length > 0 && page === before)
      throw pageError(operation, 'items', `page ${p - 1} was returned twice: ${STALE_CACHE_HINT}`)
    if (p > PAGES_MOST) throw pageError(operation, 'items', `more than ${PAGES_MOST} pages were returned`)
    before = page
    // The service might use a smaller limit than requested.
    const size = Number(limit || first.limit || MEMBER_LIMIT_DEFAULT)
    if (!Array.isArray(items) || items.length === 0 || p * size >= Number(total)) return
  }
}

/** Reads an operation page by page, or in one request if it has no pages. Does not validate rows. */
export async function* pages<Name extends OperationName>(
  read: Client['read'],
  name: Name,
  input: RequestOf<Name>,
  options?: CallOptions,
): AsyncGenerator<Reply<unknown>, void, undefined> {
  const bodies = bodiesOf(operations[name], input as PageBody)
  for (let next = bodies.next(); !next.done; ) {
    const reply = await read(name, next.value as RequestOf<Name>, { ...options, hold: true })
    try {
      const { limit } = next.value
      if (limit) checkRows(name, fieldsOf(reply.data).items, Number(limit))
      yield reply
    } finally {
      reply.release?.()
    }
    next = bodies.next(reply.data)
  }
}

/** The most common cause of a repeated page, for error messages. */
export const STALE_CACHE_HINT = 'probably a cache or proxy repeats one answer for several requests'

const PAGES_MOST = 10_000

/** Whether a value is a non-negative integer, as a number or as text. */
export function isCount(value: unknown): boolean {
  return (
    typeof value !== 'object' && value !== '' && Number.isSafeInteger(Number(value)) && Number(value) >= 0
  )
}

/** @throws ContractError if a page has more distinct rows than requested */
export function checkRows(operation: string, items: unknown, asked: number): void {
  if (!Array.isArray(items) || items.length <= asked) return
  // If a page has far too many rows, counts them without looking for duplicates.
  const rows =
    items.length > 2 * asked ? items.length : new Set(items.map((item) => stringifyJson(item))).size
  if (rows <= asked) return
  const message = `${rows.toLocaleString('en')} rows, but ${asked} were requested`
  throw pageError(operation, 'items', message)
}

function bodiesOf(operation: Operation, first: PageBody): Pages<PageBody> {
  const fields = 'shape' in operation.request ? Object.keys(operation.request.shape as object) : []
  if (fields.includes('search_after_ctx')) return cursorPages(operation.name, first)
  if (fields.includes('p')) return numberedPages(operation.name, first)
  return onePage(first)
}

function* onePage(body: PageBody): Pages<PageBody> {
  yield body
}

function fieldsOf(data: unknown): Record<string, unknown> {
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {}
}

export function pageError(operation: string, path: string, message: string): ContractError {
  return new ContractError(`${operation}: the answer does not fit the contract: ${path}: ${message}`, {
    operation,
    issues: [{ path, message }],
    next: 'Run it again. If it persists, check caches and proxies between this machine and the service.',
  })
}
