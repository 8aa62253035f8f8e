import { Agent, buildConnector, EnvHttpProxyAgent } from 'undici'
import { KEY_PARAMETER } from '../contract/envelope.ts'
import { stringifyJson } from '../contract/json.ts'
import type { Operation } from '../contract/operation.ts'
import { ConfigError } from '../errors.ts'
import { matchesMeaning } from '../external-errors.ts'
import { isLoopback } from '../settings/loopback.ts'
import { SILENT_MS } from './slow-request-notice.ts'

/** A complete answer, not parsed yet. */
export interface Answer {
  status: number
  baseUrl: string
  headers: Record<string, string | string[] | undefined>
  body: readonly Buffer[]
  bytes: number
  /** Allows the next large answer to be read. Call this when the current one is no longer needed. */
  release(): void
}

/** An answer that is larger than the service ever sends, and was not read to its end. */
export class TooLarge extends Error {}

/** An exchange without a complete answer within `timeoutMs`. */
export class TimedOut extends Error {}

/** An exchange without a complete answer. If `sent` is false, no byte was sent, so the service cannot have acted. */
export interface Fault {
  sent: boolean
  isCut: boolean
  cause: Error
}

export interface Transport {
  /** Makes one exchange without retries. Faults are returned. Only the reason of an aborted signal is thrown. */
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
/** Maximum size of an answer, far larger than any page of 100 incidents. It only stops endless answers. */
export const ANSWER_MB_MAX = 16
const ANSWER_BYTES_MAX = ANSWER_MB_MAX * 1024 ** 2
/** Answers above this size are read one at a time, because many of them in parallel would fill the memory. */
const LARGE_BYTES = 3 * 1024 ** 2

/**
 * Sends requests by HTTP/1.1 over persistent connections, with one request at a time on each. The key is in the query.
 * Uses the proxy from HTTPS_PROXY, HTTP_PROXY and NO_PROXY, except for a service on this machine.
 * @param timeoutMs limit for one exchange, from the request for a connection to the last byte
 */
export function createTransport(options: { baseUrl: string; appKey: string; timeoutMs: number }): Transport {
  const { appKey, timeoutMs } = options
  const base = parseBaseUrl(options.baseUrl)
  const prefix = base.pathname.replace(/\/+$/, '')
  const keyAlone = new URLSearchParams({ [KEY_PARAMETER]: appKey }).toString()
  const connect = buildConnector({ timeout: Math.min(CONNECT_TIMEOUT_MS, timeoutMs) })
  /** Errors of failed connections. Only these errors occur before a byte is sent. */
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
    // Disabled, because `watchOver` enforces the only timeout.
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
          // The time spent waiting for other answers is not the service's delay.
          watch.rest()
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

/** Admits one large answer at a time. Resolves to the function that admits the next one. */
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

/** Ends an exchange when its signal aborts or it takes too long. Reports once if no answer comes for a long time. */
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

/** @param onLarge called once, before the rest of a large answer is read @throws TooLarge */
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

/** Returns an agent for the configured proxy. For a service on this machine, returns an agent without a proxy. */
function dispatcherOf(host: string, options: Agent.Options): Agent | EnvHttpProxyAgent {
  if (isLoopback(host)) return new Agent(options)
  try {
    return new EnvHttpProxyAgent(options)
  } catch {
    // The cause is omitted, because the address might contain a password.
    throw new ConfigError('HTTPS_PROXY or HTTP_PROXY is not the address of a proxy.', {
      field: 'baseUrl',
      next: 'Write it as http://host:port, or unset it. NO_PROXY names hosts that are reached without it.',
    })
  }
}

/** Whether an error certainly occurred before a byte was sent, even if a proxy hides where the error comes from. */
function isUnconnected(cause: Error): boolean {
  const code = 'code' in cause ? String(cause.code) : ''
  return (
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/.test(code) ||
    matchesMeaning(cause, 'proxyRefused')
  )
}

/**
 * Parses the base address. It must not contain a user or a query, because the query of a request contains only the key.
 */
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
