import { ERROR_CODES, type ErrorCode } from '../contract/envelope.ts'
import { stringifyJson } from '../contract/json.ts'
import { type JsonWriter, pieceOf } from './json-writer.ts'

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

/** Writes one item of a page. */
export type Item = (out: JsonWriter) => void

/** A page of incident/list whose items are written when it is sent. */
export class Page {
  readonly items: readonly Item[]
  readonly total: number
  readonly hasNext: boolean
  readonly cursor: string | undefined

  constructor(items: readonly Item[], total: number, hasNext: boolean, cursor: string | undefined) {
    this.items = items
    this.total = total
    this.hasNext = hasNext
    this.cursor = cursor
  }
}

/** A success envelope, in UTF-8. The bytes are `out`'s, which may be given them back. */
export function successBody(requestId: string, data: unknown, out: JsonWriter): Buffer {
  const head = `{"request_id":"${requestId}","data":`
  if (!(data instanceof Page)) return Buffer.from(`${head}${stringifyJson(data)}}`)
  return out.fill(() => {
    out.text(head)
    writePage(data, out)
    out.text('}')
  })
}

function writePage({ items, total, hasNext, cursor }: Page, out: JsonWriter): void {
  const next = cursor === undefined ? '' : `,"search_after_ctx":${JSON.stringify(cursor)}`
  out.text('{"items":[')
  for (const [k, write] of items.entries()) {
    if (k > 0) out.piece(COMMA)
    write(out)
  }
  out.text(`],"total":${total},"has_next_page":${hasNext}${next}}`)
}

const COMMA = pieceOf(',')

/** A failure envelope. */
export function failureText(requestId: string, code: string, message: string): string {
  return stringifyJson({ request_id: requestId, error: { code, message } })
}
