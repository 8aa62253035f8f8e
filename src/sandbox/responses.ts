import { ERROR_CODES, type ErrorCode } from '../contract/envelope.ts'
import { stringifyJson } from '../contract/json.ts'

/** An error that is sent to the client. Throw it before anything changes. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, message: string = ERROR_CODES[code].message, headers = {}) {
    super(message)
    this.code = code
    this.status = ERROR_CODES[code].status
    this.headers = headers
  }
}

/** Creates a refusal of an invalid field. `field` is empty if the entire body is invalid. */
export function invalidParameter(field: string): Refusal {
  const message = field === '' ? undefined : `The specified parameter ${field} is not valid.`
  return new Refusal('InvalidParameter', message)
}

export function notFound(what: string): Refusal {
  return new Refusal('ResourceNotFound', `The ${what} was not found.`)
}

/** A page of incident/list. Its items are JSON texts, so that imported records are sent unchanged. */
export class Page {
  readonly items: readonly string[]
  readonly total: number
  readonly hasNext: boolean
  readonly cursor: string | undefined

  constructor(items: readonly string[], total: number, hasNext: boolean, cursor: string | undefined) {
    this.items = items
    this.total = total
    this.hasNext = hasNext
    this.cursor = cursor
  }

  json(): string {
    const next = this.cursor === undefined ? '' : `,"search_after_ctx":${JSON.stringify(this.cursor)}`
    return `{"items":[${this.items.join(',')}],"total":${this.total},"has_next_page":${this.hasNext}${next}}`
  }
}

export function successText(requestId: string, data: unknown): string {
  const json = data instanceof Page ? data.json() : stringifyJson(data)
  return `{"request_id":"${requestId}","data":${json}}`
}

export function failureText(requestId: string, code: string, message: string): string {
  return stringifyJson({ request_id: requestId, error: { code, message } })
}

const ID_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Returns a ULID: 10 characters that encode the time, and 16 random characters. */
export function newRequestId(nowMs: number): string {
  let time = ''
  for (let rest = nowMs, k = 0; k < 10; k++, rest = Math.floor(rest / 32))
    time = ID_ALPHABET[rest % 32]! + time
  const random = Array.from({ length: 16 }, () => ID_ALPHABET[Math.floor(Math.random() * 32)])
  return time + random.join('')
}
