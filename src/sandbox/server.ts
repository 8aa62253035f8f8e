import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ERROR_CODES, KEY_PARAMETER, REQUEST_ID_HEADER } from '../contract/envelope.ts'
import type { Control } from './control-endpoints.ts'
import { CONTROL_PREFIX } from './control-guard.ts'
import type { FaultInjector } from './faults.ts'
import { type AppKey, authenticate, authorize } from './keys.ts'
import { readBody } from './read-body.ts'
import type { Limiter } from './request-limiter.ts'
import type { Stats } from './request-stats.ts'
import { failureText, newRequestId, Refusal, successText } from './responses.ts'
import type { Service } from './service.ts'
import type { World } from './store/world.ts'

interface ServerParts {
  world: World
  now: () => number
  service: Service
  keys: ReadonlyMap<string, AppKey>
  limiter: Limiter | undefined
  retryAfter: boolean
  latencyMs: number
  faults: FaultInjector
  meanwhile: (operation: string) => void
  stats: Stats
  control: Control
  warn(message: string): void
}

interface Reply {
  status: number
  text: string
  headers: Record<string, string>
}

const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 60_000
/**
 * Milliseconds that an idle connection stays open: longer than the timeout of usual clients, so that the client closes
 * it first.
 */
const KEEP_ALIVE_MS = 75_000

export function createHttpServer(parts: ServerParts): Server {
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const fail = (error: unknown) => answerFailed(parts, error, request, response)
    response.on('error', fail)
    answer(parts, request, response).catch(fail)
  }
  const server = createServer(
    {
      // Lets the sandbox respond to a request without a Host header. Node's own response would have no error code.
      requireHostHeader: false,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    serve,
  )
  server.on('checkExpectation', serve)
  server.on('clientError', (_error, socket) => {
    if (!socket.writable) {
      socket.destroy()
      return
    }
    const id = newRequestId(Date.now())
    const text = failureText(id, 'InvalidParameter', 'The request could not be read.')
    const head = [
      'HTTP/1.1 400 Bad Request',
      'Content-Type: application/json',
      'Connection: close',
      `${REQUEST_ID_HEADER}: ${id}`,
      `Content-Length: ${Buffer.byteLength(text)}`,
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${text}`)
  })
  return server
}

function answerFailed(
  { warn }: ServerParts,
  error: unknown,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  // A client that disconnects early is not a failure of the sandbox.
  if (response.destroyed || (request.destroyed && !request.complete)) return void response.destroy()
  const id = newRequestId(Date.now())
  const [path] = splitUrl(request.url ?? '/')
  warn(`${path} failed, request ${id}: ${error instanceof Error ? error.stack : String(error)}`)
  if (response.headersSent) return void response.destroy()
  const { status, message } = ERROR_CODES.InternalError
  const head = { 'content-type': 'application/json; charset=utf-8', [REQUEST_ID_HEADER]: id }
  response.writeHead(status, head).end(failureText(id, 'InternalError', message))
}

async function answer(parts: ServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path, query] = splitUrl(request.url ?? '/')
  if (path.startsWith(CONTROL_PREFIX)) return parts.control(request, response, path)
  const { stats, faults } = parts
  const at = performance.now()
  stats.offered(at)
  const id = newRequestId(Date.now())
  const name = parts.service.find(path)?.name ?? '(unknown)'
  const reply = await replyTo(parts, request, path, query, id, at)
  const waitMs = parts.latencyMs + faults.delayMs()
  if (waitMs > 0) await sleep(waitMs)
  if (faults.occurs('reset')) {
    stats.answered(name, 'reset')
    return void request.socket.resetAndDestroy()
  }
  stats.answered(name, reply.status)
  const body = faults.corruptBody(Buffer.from(reply.text))
  response.writeHead(reply.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    date: new Date(parts.now() * 1_000).toUTCString(),
    [REQUEST_ID_HEADER]: id,
    ...reply.headers,
  })
  if (faults.occurs('truncate'))
    response.write(body.subarray(0, body.length >> 1), () => request.socket.destroy())
  else response.end(body)
}

/** Responds to a request. Checks the key first, then the limits, then the request itself. */
async function replyTo(
  parts: ServerParts,
  request: IncomingMessage,
  path: string,
  query: URLSearchParams,
  id: string,
  at: number,
): Promise<Reply> {
  const { service, world, faults } = parts
  try {
    const identity = authenticate(parts.keys, world.account, query.get(KEY_PARAMETER))
    checkLimits(parts, at)
    const operation = service.route(request.method ?? '', path)
    if (faults.occurs('status_500')) throw new Refusal('InternalError')
    authorize(operation, world.account, identity.caller)
    // If a parameter is repeated, its first value counts.
    const sent =
      operation.method === 'POST' ? await readBody(request) : Object.fromEntries([...query].reverse())
    parts.meanwhile(operation.name)
    const input = faults.corruptInput(operation.name, sent, parts.now())
    const data = service.perform(operation, input, { ...identity, requestId: id })
    const text = successText(id, faults.corruptData(operation.name, data, cursorOf(input)))
    return { status: 200, text: faults.cached(request.url ?? '', text), headers: {} }
  } catch (error) {
    if (!(error instanceof Refusal)) {
      // The client disconnected before the end of the body.
      if (request.destroyed && !request.complete) throw error
      parts.warn(`${path} failed, request ${id}: ${error instanceof Error ? error.stack : String(error)}`)
      const { status, message } = ERROR_CODES.InternalError
      return { status, text: failureText(id, 'InternalError', message), headers: {} }
    }
    return { status: error.status, text: failureText(id, error.code, error.message), headers: error.headers }
  }
}

function checkLimits({ limiter, stats, retryAfter, faults }: ServerParts, at: number): void {
  const waitMs = limiter?.take(at) ?? 0
  if (waitMs === 0) {
    stats.accepted(at)
    if (faults.occurs('status_429_bare')) throw new Refusal('RequestTooFrequently')
    if (!faults.occurs('status_429')) return
  } else stats.beyondLimits()
  const seconds = String(Math.max(1, Math.ceil(waitMs / 1_000)))
  throw new Refusal('RequestTooFrequently', undefined, retryAfter ? { 'retry-after': seconds } : {})
}

function cursorOf(input: unknown): string | undefined {
  const cursor = (input as { search_after_ctx?: unknown } | null)?.search_after_ctx
  return typeof cursor === 'string' && cursor !== '' ? cursor : undefined
}

function splitUrl(url: string): [path: string, query: URLSearchParams] {
  const mark = url.indexOf('?')
  if (mark < 0) return [url, new URLSearchParams()]
  return [url.slice(0, mark), new URLSearchParams(url.slice(mark + 1))]
}
