import { isUtf8 } from 'node:buffer'
import { ERROR_CODES, failureEnvelope, REQUEST_ID_HEADER } from '../contract/envelope.ts'
import { parseJson } from '../contract/json.ts'
import type { Answer } from './transport.ts'

/** An answer of the service without its envelope. */
export type Message =
  | { kind: 'data'; data: unknown; requestId: string; hasRawControls: boolean }
  | { kind: 'failure'; code: string; text: string; status: number; requestId: string; redirect?: Redirect }
  /** Truncated. */
  | { kind: 'cut'; requestId: string }
  /** Complete but malformed. `what` is the rest of a sentence whose subject is the answer. */
  | { kind: 'garbled'; what: string; requestId: string }
  /** Compressed in transit, although compression was not requested. */
  | { kind: 'encoded'; encoding: string; requestId: string }
  /** Complete, but from another program. `start` is the beginning of the answer. */
  | { kind: 'foreign'; start: string; status: number; requestId: string }

/** Target of a redirect as written in the `Location` header, and the base address of the request. */
interface Redirect {
  location: string
  baseUrl: string
}

/** 300 and 304 have no target. */
const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308]

const START_LENGTH = 120
const ID_MOST = 100
const TEXT_MOST = 500

const errorPart = failureEnvelope.pick({ error: true })

/**
 * Parses an answer. An envelope with an error is a failure, whatever the status. An answer without a success status is
 * a failure too, with the code `HTTP <status>` if it contains no code. `data` becomes undefined if it is missing or
 * null.
 */
export function openEnvelope({ status, baseUrl, headers, body }: Answer): Message {
  const fromHeader = headerOf(headers, REQUEST_ID_HEADER) ?? ''
  const encoding = headerOf(headers, 'content-encoding')?.trim().toLowerCase() || 'identity'
  const bytes = Buffer.concat(body)
  // Ignores a byte order mark, as RFC 8259, 8.1 permits.
  const text = bytes.toString().replace(/^\ufeff/, '')
  let hasRawControls = false
  const noteRawControls = () => {
    hasRawControls = true
  }
  const parsed = encoding === 'identity' ? tryParse(text, noteRawControls) : undefined
  const requestId = shortened(ownString(parsed, 'request_id') ?? fromHeader, ID_MOST)
  const failure = isObject(parsed) && parsed.error != null ? errorPart.safeParse(parsed) : undefined
  if (failure?.success) {
    const { code, message } = failure.data.error
    return {
      kind: 'failure',
      code: shortened(code, ID_MOST),
      text: shortened(message, TEXT_MOST),
      status,
      requestId,
    }
  }
  if (status < 200 || status > 299) {
    const location = REDIRECT_STATUSES.includes(status) ? headerOf(headers, 'location') : undefined
    const redirect = location === undefined ? {} : { redirect: { location, baseUrl } }
    return { kind: 'failure', code: codeOf(status), text: '', status, requestId, ...redirect }
  }
  if (encoding !== 'identity') return { kind: 'encoded', encoding, requestId }
  // Otherwise, invalid bytes would silently become other characters.
  if (isObject(parsed) && !isUtf8(bytes)) return { kind: 'garbled', what: NO_UTF8, requestId }
  if (isObject(parsed) && isEnvelope(parsed, requestId))
    return { kind: 'data', data: parsed.data ?? undefined, requestId, hasRawControls }
  const start = text.trimStart()
  if (parsed === undefined && (start === '' || start.startsWith('{')))
    return isBeginning(start) ? { kind: 'cut', requestId } : { kind: 'garbled', what: NO_JSON, requestId }
  return { kind: 'foreign', start: start.slice(0, START_LENGTH), status, requestId }
}

/** Whether an object is a success envelope. Its `data` can be missing or null if everything else is right. */
function isEnvelope(parsed: Record<string, unknown>, requestId: string): boolean {
  return parsed.data != null || (!parsed.error && ('data' in parsed || requestId !== ''))
}

const NO_JSON = 'is not valid JSON: it contains an error, or text after its end'
const NO_UTF8 = 'contains bytes that are not UTF-8, as JSON requires'

/** Whether a text is a truncated JSON document, which means that a string, an object or a list in it is still open. */
function isBeginning(text: string): boolean {
  let depth = 0
  let isText = false
  for (let place = 0; place < text.length; place++) {
    const character = text[place]!
    if (isText) {
      if (character === '\\') place++
      else isText = character !== '"'
    } else if (character === '"') isText = true
    else if (character === '{' || character === '[') depth++
    else if ((character === '}' || character === ']') && --depth === 0) return false
  }
  return true
}

/**
 * Truncates a text that will be stored or printed. Copies it, because a slice would keep the entire original in memory.
 */
function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${Buffer.from(text.slice(0, most))}…`
}

/** Returns a header by its name in any case. If it was sent twice, returns the first value. */
export function headerOf(headers: Answer['headers'], name: string): string | undefined {
  const value = headers[name.toLowerCase()]
  return Array.isArray(value) ? value[0] : value
}

/**
 * Only a rate-limit error can be recognized by its status alone. For other statuses, the code is named after the
 * status.
 */
function codeOf(status: number): string {
  return status === ERROR_CODES.RequestTooFrequently.status ? 'RequestTooFrequently' : `HTTP ${status}`
}

function tryParse(body: string, onRawControls: () => void): unknown {
  try {
    return parseJson(body, onRawControls)
  } catch {
    // The text is not JSON. The caller reports its beginning.
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function ownString(value: unknown, key: string): string | undefined {
  const found = isObject(value) ? value[key] : undefined
  return typeof found === 'string' && found !== '' ? found : undefined
}
