import { ERROR_CODES, type ErrorCode } from '../contract/envelope.ts'
import { stringifyJson } from '../contract/json.ts'

/** A request that is answered with an error envelope. Nothing has changed when it is thrown. */
export class Refusal extends Error {
  readonly code: ErrorCode
  /** Extra headers of the answer. */
  readonly headers: Record<string, string>

  constructor(
    code: ErrorCode,
    message: string = ERROR_CODES[code].message,
    headers: Record<string, string> = {},
  ) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.headers = headers
  }

  get status(): number {
    return ERROR_CODES[this.code].status
  }
}

/** Refuses a parameter by name, in the service's words. */
export function invalidParameter(field: string): Refusal {
  return new Refusal(
    'InvalidParameter',
    field === '' ? undefined : `The specified parameter ${field} is not valid.`,
  )
}

/** Refuses because something named does not exist. */
export function notFound(what: string): Refusal {
  return new Refusal('ResourceNotFound', `The ${what} was not found.`)
}

/** A page of incident/list whose items are JSON texts already. */
export class Page {
  items: string[]
  readonly total: number
  readonly hasNext: boolean
  cursor: string | undefined

  constructor(items: string[], total: number, hasNext: boolean, cursor: string | undefined) {
    this.items = items
    this.total = total
    this.hasNext = hasNext
    this.cursor = cursor
  }
}

/** A success envelope, in UTF-8. */
export function successBody(requestId: string, data: unknown): Buffer {
  const head = `{"request_id":"${requestId}","data":`
  return data instanceof Page ? pageBody(head, data) : Buffer.from(`${head}${stringifyJson(data)}}`)
}

/** A failure envelope. */
export function failureText(requestId: string, code: string, message: string): string {
  return stringifyJson({ request_id: requestId, error: { code, message } })
}

/** Where a page is put together before it is copied out; it grows with the longest. */
let scratch = Buffer.allocUnsafe(1 << 20)

/** Writes the items one by one: putting them together as one text first takes twice as long. */
function pageBody(head: string, { items, total, hasNext, cursor }: Page): Buffer {
  const next = cursor === undefined ? '' : `,"search_after_ctx":${JSON.stringify(cursor)}`
  const tail = `],"total":${total},"has_next_page":${hasNext}${next}}}`
  // A UTF-16 unit takes three bytes at most.
  const most = 3 * items.reduce((sum, item) => sum + item.length + 1, head.length + tail.length + 16)
  if (most > scratch.length) scratch = Buffer.allocUnsafe(2 * most)
  let at = scratch.write(`${head}{"items":[`)
  for (const [k, item] of items.entries()) {
    if (k > 0) at += scratch.write(',', at)
    at += scratch.write(item, at)
  }
  at += scratch.write(tail, at)
  return Buffer.from(scratch.subarray(0, at))
}
