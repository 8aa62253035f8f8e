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

/** The text of a success envelope. */
export function successText(requestId: string, data: unknown): string {
  return `{"request_id":"${requestId}","data":${data instanceof Page ? pageText(data) : stringifyJson(data)}}`
}

/** The text of a failure envelope. */
export function failureText(requestId: string, code: string, message: string): string {
  return stringifyJson({ request_id: requestId, error: { code, message } })
}

function pageText({ items, total, hasNext, cursor }: Page): string {
  const tail = cursor === undefined ? '' : `,"search_after_ctx":${JSON.stringify(cursor)}`
  // Appending leaves the copying to the one pass that encodes the answer; joining would copy every item twice.
  let text = ''
  for (const item of items) text += text === '' ? item : `,${item}`
  return `{"items":[${text}],"total":${total},"has_next_page":${hasNext}${tail}}`
}
