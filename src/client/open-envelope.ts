import { isUtf8 } from 'node:buffer'
import { ERROR_CODES, failureEnvelope, REQUEST_ID_HEADER } from '../contract/envelope.ts'
import { parseJson } from '../contract/json.ts'
import type { Answer } from './transport.ts'

export type Message =
  | { kind: 'data'; data: unknown; requestId: string; hasRawControls: boolean }
  | { kind: 'failure'; code: string; text: string; status: number; requestId: string; redirect?: Redirect }
  /** A truncated response. */
  | { kind: 'cut'; requestId: string }
  /** A complete but malformed response. `what` continues the sentence “the answer …” of the message. */
  | { kind: 'garbled'; what: string; requestId: string }
  /** A response that was compressed in transit, although compression was not requested. */
  | { kind: 'encoded'; encoding: string; requestId: string }
  /** A complete response from another program. `start` is the beginning of its text. */
  | { kind: 'foreign'; start: string; status: number; requestId: string }

interface Redirect {
  location: string
  baseUrl: string
}

const REDIRECT_STATUSES: readonly number[] = [301, 302, 303, 307, 308]

const START_LENGTH = 120
const ID_MOST = 100
const TEXT_MOST = 500

const errorPart = failureEnvelope.pick({ error: true })

/** Parses a response. If it has an error status but contains no error code, the code is made from the status. */
export function openEnvelope({ status, baseUrl, headers, body }: Answer): Message {
  const fromHeader = headerOf(headers, REQUEST_ID_HEADER) ?? ''
  const encoding = headerOf(headers, 'content-encoding')?.trim().toLowerCase() || 'identity'
  const bytes = Buffer.concat(body)
  // Ignores a byte order mark, as RFC 8259, 8.1 permits.
  const text = bytes.toString().replace(/^\ufeff/, '')
  let hasRawControls = false
  const parsed = encoding === 'identity' ? tryParse(text, () => (hasRawControls = true)) : undefined
  const requestId = shortened(ownString(parsed, 'request_id') ?? fromHeader, ID_MOST)
  const failure = isObject(parsed) && parsed.error != null ? errorPart.safeParse(parsed) : undefined
  if (failure?.success) {
    const { code, message } = failure.data.error
    const shown = { code: shortened(code, ID_MOST), text: shortened(message, TEXT_MOST) }
    return { kind: 'failure', ...shown, status, requestId }
  }
  if (status < 200 || status > 299) {
    const location = REDIRECT_STATUSES.includes(status) ? headerOf(headers, 'location') : undefined
    const redirect = location === undefined ? {} : { redirect: { location, baseUrl } }
    return { kind: 'failure', code: codeOf(status), text: '', status, requestId, ...redirect }
  }
  if (encoding !== 'identity') return { kind: 'encoded', encoding, requestId }
  // `toString` silently replaced any bytes that are not UTF-8.
  if (isObject(parsed) && !isUtf8(bytes)) return { kind: 'garbled', what: NO_UTF8, requestId }
  if (isObject(parsed) && isEnvelope(parsed, requestId))
    return { kind: 'data', data: parsed.data ?? undefined, requestId, hasRawControls }
  const start = text.trimStart()
  if (parsed === undefined && (start === '' || start.startsWith('{')))
    return isBeginning(start) ? { kind: 'cut', requestId } : { kind: 'garbled', what: NO_JSON, requestId }
  return { kind: 'foreign', start: start.slice(0, START_LENGTH), status, requestId }
}

/** Whether an object is a successful response of the service. Its `data` can be missing or null. */
function isEnvelope(parsed: Record<string, unknown>, requestId: string): boolean {
  return parsed.data != null || (!parsed.error && ('data' in parsed || requestId !== ''))
}

const NO_JSON = 'is not valid JSON: it contains an error, or text after its end'
const NO_UTF8 = 'contains bytes that are not UTF-8, as JSON requires'

/** Whether a text is a truncated JSON document, in which a string, an object or a list does not end. */
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

/** Truncates a text. Returns a copy, because a slice would keep the entire original in memory. */
function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${Buffer.from(text.slice(0, most))}…`
}

export function headerOf(headers: Answer['headers'], name: string): string | undefined {
  const value = headers[name.toLowerCase()]
  return Array.isArray(value) ? value[0] : value
}

/** Makes an error code for a response that has none. Only status 429 corresponds to a code of the service. */
function codeOf(status: number): string {
  return status === ERROR_CODES.RequestTooFrequently.status ? 'RequestTooFrequently' : `HTTP ${status}`
}

function tryParse(body: string, onRawControls: () => void): unknown {
  try {
    return parseJson(body, onRawControls)
  } catch {
    return undefined // The caller reports the beginning of the text.
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function ownString(value: unknown, key: string): string | undefined {
  const found = isObject(value) ? value[key] : undefined
  return typeof found === 'string' && found !== '' ? found : undefined
}
