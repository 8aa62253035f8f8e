import { buildConnector, type Dispatcher, Pool } from 'undici'
import { KEY_PARAMETER } from '../contract/envelope.ts'
import { stringifyJson } from '../contract/json.ts'
import type { Operation } from '../contract/operation.ts'
import { ConfigError } from '../errors.ts'
import { onAbort } from './on-abort.ts'

/** There and back. Times are milliseconds of the clock given. */
export interface RoundTrip {
  /** When the request was written, on a connection that stood. */
  sentAt: number
  /** When the head of the answer came. */
  answeredAt: number
  /** Whether the connection stood already, so that nothing was opened for this request. */
  reused: boolean
}

/** A whole answer, before anyone looked into it. */
export interface Answer extends RoundTrip {
  status: number
  headers: Record<string, string | string[] | undefined>
  /** In the parts in which it came. */
  body: readonly Buffer[]
  bytes: number
}

/** No whole answer. Without `sent`, no byte of the request left: the service cannot have acted on it. */
export interface Fault {
  sent: boolean
  /** When the head of an answer came whose rest did not. */
  arrived: RoundTrip | undefined
  cause: Error
}

export interface Transport {
  /** One exchange, no retry. Faults are returned; only an aborted signal throws, with its reason. */
  exchange(operation: Operation, request: unknown, signal?: AbortSignal): Promise<Answer | Fault>
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 10_000
const HEADERS = { accept: 'application/json', 'user-agent': 'faultline' }
const HEADERS_WITH_BODY = { ...HEADERS, 'content-type': 'application/json' }
/** No page of 100 incidents comes near it; it only stops an answer without end. */
const ANSWER_BYTES_MAX = 256 * 1024 * 1024

/**
 * HTTP/1.1 over connections that stay open, one request at a time on each, the key in the query string.
 * @param timeoutMs for one exchange as a whole, from asking for a connection to the last byte
 * @throws ConfigError when `baseUrl` is not one
 */
export function createTransport(options: {
  baseUrl: string
  appKey: string
  timeoutMs: number
  connections: number
  clock: () => number
}): Transport {
  const base = parseBaseUrl(options.baseUrl)
  const connect = buildConnector({ timeout: Math.min(CONNECT_TIMEOUT_MS, options.timeoutMs) })
  let opened = 0
  const pool = new Pool(base.origin, {
    connections: options.connections,
    pipelining: 1,
    connect(address, callback) {
      opened++
      connect(address, callback)
    },
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
    maxResponseSize: ANSWER_BYTES_MAX,
  })
  const prefix = base.pathname.replace(/\/+$/, '')
  const keyAlone = new URLSearchParams({ [KEY_PARAMETER]: options.appKey }).toString()

  return {
    exchange(operation, request, signal) {
      const isGet = operation.method === 'GET'
      const query = isGet ? withFields(keyAlone, request) : keyAlone
      const message: Dispatcher.DispatchOptions = {
        method: operation.method,
        path: `${prefix}${operation.path}?${query}`,
        headers: isGet ? HEADERS : HEADERS_WITH_BODY,
        body: isGet ? null : stringifyJson(request),
      }
      return dispatch(pool, message, { ...options, opened: () => opened }, signal)
    },
    close: () => pool.destroy(),
  }
}

/** The key alone goes into the query, so a base address has none, and no user either. */
function parseBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search + url.hash + url.username !== '')
    throw new ConfigError('baseUrl is not the address of a service', {
      next: 'Write it as https://host or https://host/path, without a query.',
    })
  return url
}

/** A GET has no body: its fields are query parameters, and null means absent. */
function withFields(keyAlone: string, request: unknown): string {
  const query = new URLSearchParams(keyAlone)
  for (const [name, value] of Object.entries(request as Record<string, unknown>))
    if (value !== null && value !== undefined) query.append(name, String(value))
  return query.toString()
}

function dispatch(
  pool: Pool,
  message: Dispatcher.DispatchOptions,
  { timeoutMs, clock, opened }: { timeoutMs: number; clock: () => number; opened: () => number },
  signal: AbortSignal | undefined,
): Promise<Answer | Fault> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    let controller: Dispatcher.DispatchController | undefined
    let isOver = false
    let sentAt: number | undefined
    let reused = false
    let head: Pick<Answer, 'status' | 'headers' | 'answeredAt'> | undefined
    const body: Buffer[] = []

    const deadline = setTimeout(() => fail(new Error(`no whole answer within ${timeoutMs} ms`)), timeoutMs)
    const forget =
      signal &&
      onAbort(signal, () => {
        settle()
        reject(signal.reason)
        controller?.abort(new Error('aborted by the caller'))
      })

    function settle() {
      isOver = true
      clearTimeout(deadline)
      forget?.()
    }
    function fail(cause: Error) {
      if (isOver) return
      settle()
      const arrived =
        sentAt === undefined || head === undefined
          ? undefined
          : { sentAt, reused, answeredAt: head.answeredAt }
      resolve({ sent: sentAt !== undefined, arrived, cause })
      controller?.abort(cause)
    }

    const openedBefore = opened()
    pool.dispatch(message, {
      onRequestStart(given) {
        controller = given
        // Given up before it had a connection: aborting here keeps it from being written.
        if (isOver) return given.abort(new Error('given up before it was sent'))
        sentAt ??= clock()
      },
      onResponseStart(_, status, headers) {
        head = { status, headers, answeredAt: clock() }
      },
      onResponseData(_, chunk) {
        body.push(chunk)
      },
      onResponseEnd() {
        if (isOver || sentAt === undefined || head === undefined) return
        settle()
        const bytes = body.reduce((sum, part) => sum + part.length, 0)
        resolve({ ...head, body, bytes, sentAt, reused })
      },
      onResponseError(_, error) {
        fail(error)
      },
    })
    // Where the pool has none that is free, it begins to open one within that call.
    reused = opened() === openedBefore
  })
}
