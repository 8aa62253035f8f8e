import { MEMBER_LIMIT_DEFAULT, TOTAL_EXACT_BELOW } from '../contract/assumptions.ts'
import { type OperationName, operations, type RequestOf } from '../contract/index.ts'
import { stringifyJson } from '../contract/json.ts'
import type { Operation } from '../contract/operation.ts'
import { ContractError } from '../errors.ts'
import type { CallOptions, Client } from './client.ts'
import type { Reply } from './send.ts'

/** A body of a request; only the fields that turn the page are known here. */
export interface PageBody {
  p?: number | bigint | null | undefined
  limit?: number | bigint | null | undefined
  search_after_ctx?: string | null | undefined
}

/** Yields the bodies of the requests of one read, and is given the `data` of each answer in return. */
export type Pages<Body> = Generator<Body, void, unknown>

/**
 * Pages of a cursor: each answer names the next one, until `has_next_page` is false. A service may leave it out where it is false: a
 * cursor is followed then, and without one the page is the last if as many rows came as the total says.
 * @throws ContractError if there is no cursor though there is a next page, or one comes a second time
 */
export function* cursorPages<Body extends PageBody>(operation: string, first: Body): Pages<Body> {
  // The cursor wins over a page number; without it, the two cannot disagree.
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
      // Of a list that began at a cursor, the rows before it are not known.
      const isShort = first.search_after_ctx && count < Number(first.limit)
      if (isCount(total) && (isShort || rows >= Math.min(Number(total), TOTAL_EXACT_BELOW))) return
      throw pageError(operation, 'has_next_page', 'expected true or false')
    }
    if (!hasCursor)
      throw pageError(operation, 'search_after_ctx', 'expected a cursor, since there is a next page')
    if (seen.has(cursor)) throw pageError(operation, 'search_after_ctx', 'this cursor was given before')
    seen.add(cursor)
    body = { ...rest, search_after_ctx: cursor } as Body
  }
}

/**
 * Pages by number, from the body's `p` or 1, until `p × limit` reaches `total` or a page is empty.
 * The `limit` of the answer counts, because the service may use a smaller one than it was asked for.
 * @throws ContractError when an answer has no `total`, a page comes twice, or there is no end of them
 */
export function* numberedPages<Body extends PageBody>(operation: string, first: Body): Pages<Body> {
  let before = ''
  for (let p = Number(first.p || 1); ; p++) {
    const { items, total, limit } = fieldsOf(yield { ...first, p })
    if (!isCount(total)) throw pageError(operation, 'total', 'expected a count')
    // Its total may be far too high: then the pages end when they bring nothing else.
    const page = stringifyJson(items)
    if (p > 1 && Array.isArray(items) && items.length > 0 && page === before)
      throw pageError(operation, 'items', `page ${p - 1} came a second time: ${STALE_CACHE_HINT}`)
    if (p > PAGES_MOST) throw pageError(operation, 'items', `there are more than ${PAGES_MOST} pages`)
    before = page
    const size = Number(limit || first.limit || MEMBER_LIMIT_DEFAULT)
    if (!Array.isArray(items) || items.length === 0 || p * size >= Number(total)) return
  }
}

/**
 * Reads an operation page by page, in the way its request allows; one that has no pages gives one reply.
 * The replies are not validated beyond what turns the page.
 */
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

/** What a page that comes twice most often means. */
export const STALE_CACHE_HINT = 'probably a cache or proxy gives one answer to several requests'

/** Far above what any account has: it only ends what has no end. */
const PAGES_MOST = 10_000

/** Whether a value is a number of rows. */
export function isCount(value: unknown): boolean {
  return (
    typeof value !== 'object' && value !== '' && Number.isSafeInteger(Number(value)) && Number(value) >= 0
  )
}

/**
 * A page may hold a row twice, but no more rows than were asked for.
 * @throws ContractError
 */
export function checkRows(operation: string, items: unknown, asked: number): void {
  if (!Array.isArray(items) || items.length <= asked) return
  // So many need not be compared.
  const rows =
    items.length > 2 * asked ? items.length : new Set(items.map((item) => stringifyJson(item))).size
  if (rows <= asked) return
  const message = `${rows.toLocaleString('en')} rows, and ${asked} were asked for`
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

/** An answer that does not lead to a next page, or has one too many. */
export function pageError(operation: string, path: string, message: string): ContractError {
  return new ContractError(`${operation}: the answer does not fit the contract: ${path}: ${message}`, {
    operation,
    issues: [{ path, message }],
    next: 'Run it again; if it goes on, look at caches and proxies between this machine and the service.',
  })
}
