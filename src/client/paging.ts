import { MEMBER_LIMIT_DEFAULT } from '../contract/assumptions.ts'
import { type OperationName, operations, type RequestOf } from '../contract/index.ts'
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
 * Pages of a cursor: each answer names the next one, until `has_next_page` is false.
 * @throws ContractError when there is no cursor though there is a next page, or one comes a second time
 */
export function* cursorPages<Body extends PageBody>(operation: string, first: Body): Pages<Body> {
  // The cursor wins over a page number; without it, the two cannot disagree.
  const { p: _, ...rest } = first
  const seen = new Set([first.search_after_ctx])
  let body = first
  while (true) {
    const { has_next_page: more, search_after_ctx: cursor } = fieldsOf(yield body)
    if (typeof more !== 'boolean') throw pageError(operation, 'has_next_page', 'expected true or false')
    if (!more) return
    if (typeof cursor !== 'string' || cursor === '')
      throw pageError(operation, 'search_after_ctx', 'expected a cursor, since there is a next page')
    if (seen.has(cursor)) throw pageError(operation, 'search_after_ctx', 'this cursor was given before')
    seen.add(cursor)
    body = { ...rest, search_after_ctx: cursor } as Body
  }
}

/**
 * Pages by number, from the body's `p` or 1, until `p × limit` reaches `total` or a page is empty.
 * The `limit` of the answer counts, because the service may use a smaller one than it was asked for.
 * @throws ContractError when an answer has no `total`
 */
export function* numberedPages<Body extends PageBody>(operation: string, first: Body): Pages<Body> {
  for (let p = Number(first.p || 1); ; p++) {
    const { items, total, limit } = fieldsOf(yield { ...first, p })
    if (total === undefined || Number.isNaN(Number(total)))
      throw pageError(operation, 'total', 'expected a number')
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
    const reply = await read(name, next.value as RequestOf<Name>, options)
    yield reply
    next = bodies.next(reply.data)
  }
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

function pageError(operation: string, path: string, message: string): ContractError {
  return new ContractError(`${operation}: the answer does not fit the contract: ${path}: ${message}`, {
    operation,
    issues: [{ path, message }],
  })
}
