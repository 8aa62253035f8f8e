import { Agent, buildConnector, EnvHttpProxyAgent } from 'undici'
import { KEY_PARAMETER } from '../contract/envelope.ts'
import { stringifyJson } from '../contract/json.ts'
import type { Operation } from '../contract/operation.ts'
import { ConfigError } from '../errors.ts'
import { matchesMeaning } from '../external-errors.ts'
import { isLoopback } from '../settings/loopback.ts'
import { SILENT_MS } from './slow-request-notice.ts'

/** A complete response, not parsed yet. */
export interface Answer {
  status: number
  baseUrl: string
  headers: Record<string, string | string[] | undefined>
  body: readonly Buffer[]
  bytes: number
  /** Allows the next large response to be read. Call this when the current one is no longer needed. */
  release(): void
}

/** The error for a response that is too large to come from the service. Reading stops at once. */
export class TooLarge extends Error {}

export class TimedOut extends Error {}

/** A request that got no complete response. */
export interface Fault {
  /** False if no byte was sent, so that the service cannot have acted. */
  sent: boolean
  /** Whether the connection ended in the middle of the response. */
  isCut: boolean
  cause: Error
}

export interface Transport {
  /** Sends one request, without retries. Returns a `Fault` if it fails. Throws only the reason of an aborted signal. */
  exchange(
    operation: Operation,
    request: unknown,
    signal: AbortSignal,
    onSilent?: () => void,
  ): Promise<Answer | Fault>
  close(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 10_000
/** Maximum number of connections, which equals the largest burst that the service's limits allow. */
const CONNECTIONS = 50
const HEADERS = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'faultline' }
const HEADERS_WITH_BODY = { ...HEADERS, 'content-type': 'application/json' }
/** Maximum size of a response, far larger than any page of 100 incidents. It stops endless responses. */
export const ANSWER_MB_MAX = 16
const ANSWER_BYTES_MAX = ANSWER_MB_MAX * 1024 ** 2
/** Responses above this size are read one at a time, because many of them in parallel would fill the memory. */
const LARGE_BYTES = 3 * 1024 ** 2

/**
 * Uses persistent HTTP/1.1 connections, and the proxy from the environment unless the service is on this machine.
 * @param timeoutMs time limit for one request, from waiting for a connection to the last byte of the response
 */
export function createTransport(options: { baseUrl: string; appKey: string; timeoutMs: number }): Transport {
  const { appKey, timeoutMs } = options
  const base = parseBaseUrl(options.baseUrl)
  const prefix = base.pathname.replace(/\/+$/, '')
  const keyAlone = new URLSearchParams({ [KEY_PARAMETER]: appKey }).toString()
  const connect = buildConnector({ timeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs) })
  /** Errors from connections that could not be opened, which means that no byte was sent. */
  const unconnected = new WeakSet<Error>()
  const dispatcher = dispatcherOf(base.hostname, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect(address: buildConnector.Options, callback: buildConnector.Callback) {
      connect(address, (...result) => {
        if (result[0]) unconnected.add(result[0])
        callback(...result)
      })
    },
    // 0 disables these timeouts. `watchOver` enforces `timeoutMs` instead.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const takeLane = createLane()
  return {
    async exchange(operation, request, signal, onSilent = () => {}) {
      signal.throwIfAborted()
      const isGet = operation.method === 'GET'
      const watch = watchOver(timeoutMs, signal, onSilent)
      let release = () => {}
      let hasBegun = false
      try {
        const { statusCode, headers, body } = await dispatcher.request({
          origin: base.origin,
          method: operation.method,
          path: `${prefix}${operation.path}?${isGet ? withFields(keyAlone, request) : keyAlone}`,
          headers: isGet ? HEADERS : HEADERS_WITH_BODY,
          body: isGet ? null : stringifyJson(request),
          signal: watch.signal,
        })
        hasBegun = true
        const { parts, bytes } = await readParts(body, async () => {
          watch.rest() // The timeout excludes the wait for other large responses.
          release = await takeLane()
          watch.again()
        })
        return { status: statusCode, baseUrl: base.origin + prefix, headers, body: parts, bytes, release }
      } catch (error) {
        release()
        signal.throwIfAborted()
        const cause = error instanceof Error ? error : new Error(String(error))
        const isCut = hasBegun && !(cause instanceof TimedOut)
        return { sent: !unconnected.has(cause) && !isUnconnected(cause), isCut, cause }
      } finally {
        watch.end()
      }
    },
    close: () => dispatcher.destroy(),
  }
}

/** Admits one response at a time. The caller waits for its turn, and gets a function that admits the next response. */
function createLane(): () => Promise<() => void> {
  let lane = Promise.resolve()
  return () => {
    const before = lane
    let free = () => {}
    lane = new Promise((resolve) => {
      free = resolve
    })
    return before.then(() => free)
  }
}

/** Aborts a request if its signal aborts or it takes too long. Calls `onSilent` once after `SILENT_MS`. */
function watchOver(timeoutMs: number, outer: AbortSignal, onSilent: () => void) {
  const ending = new AbortController()
  const late = () => ending.abort(new TimedOut(`no complete answer within ${timeoutMs} ms`))
  const stop = () => ending.abort(outer.reason)
  const silence = setTimeout(onSilent, SILENT_MS)
  let deadline = setTimeout(late, timeoutMs)
  outer.addEventListener('abort', stop)
  const rest = () => {
    clearTimeout(deadline)
    clearTimeout(silence)
  }
  return {
    signal: ending.signal,
    rest,
    again() {
      deadline = setTimeout(late, timeoutMs)
    },
    end() {
      rest()
      outer.removeEventListener('abort', stop)
    },
  }
}

/** Reads a body. @param onLarge called once, before the rest of a large response is read @throws TooLarge */
async function readParts(body: AsyncIterable<Buffer>, onLarge: () => Promise<void>) {
  const parts: Buffer[] = []
  let bytes = 0
  let isLarge = false
  for await (const part of body) {
    bytes += part.length
    if (bytes > ANSWER_BYTES_MAX) throw new TooLarge()
    parts.push(part)
    if (isLarge || bytes <= LARGE_BYTES) continue
    isLarge = true
    await onLarge()
  }
  return { parts, bytes }
}

function dispatcherOf(host: string, options: Agent.Options): Agent | EnvHttpProxyAgent {
  if (isLoopback(host)) return new Agent(options)
  try {
    return new EnvHttpProxyAgent(options)
  } catch {
    // The cause is omitted, because the address of the proxy might contain a password.
    throw new ConfigError('HTTPS_PROXY or HTTP_PROXY is not the address of a proxy.', {
      field: 'baseUrl',
      next: 'Write it as http://host:port, or unset it. NO_PROXY names hosts that are reached without it.',
    })
  }
}

/** Whether an error shows that no byte was sent. `unconnected` lacks errors of connections through a proxy. */
function isUnconnected(cause: Error): boolean {
  const code = 'code' in cause ? String(cause.code) : ''
  return (
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/.test(code) ||
    matchesMeaning(cause, 'proxyRefused')
  )
}

/** Parses the base URL. @throws ConfigError if it is not an HTTP address, or has a user or a query */
function parseBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search + url.hash + url.username !== '')
    throw new ConfigError('baseUrl is not the address of a service', {
      field: 'baseUrl',
      next: 'Write it as https://host or https://host/path, without a query.',
    })
  return url
}

/** A GET has no body, so its fields become query parameters. Null means absent. */
function withFields(keyAlone: string, request: unknown): string {
  const query = new URLSearchParams(keyAlone)
  for (const [name, value] of Object.entries(request as Record<string, unknown>))
    if (value !== null && value !== undefined) query.append(name, String(value))
  return query.toString()
}
