import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as the server received it. `at` is in Unix ms. */
export interface Seen {
  method: string
  /** The requested path and query. */
  url: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
  at: number
}

/** Responds to one request. `count` is the number of the request, from 1. */
export type Step = (res: ServerResponse, seen: Seen, count: number) => void

export interface ScriptedServer extends AsyncDisposable {
  baseUrl: string
  seen: Seen[]
}

/** A real HTTP server that runs one step per request, and then repeats the last step. */
export async function scriptedServer(...steps: Step[]): Promise<ScriptedServer> {
  const seen: Seen[] = []
  const server = createServer(async (req, res) => {
    const at = Date.now()
    const url = new URL(req.url ?? '', 'http://local')
    let body = ''
    for await (const chunk of req) body += chunk
    const one = {
      method: req.method ?? '',
      url: req.url ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: req.headers,
      body,
      at,
    }
    const step = steps[Math.min(seen.length, steps.length - 1)]
    seen.push(one)
    step?.(res, one, seen.length)
  })
  return { ...(await onFreePort(server)), seen }
}

/** Starts a server on a free port. Disposing the result closes the server. */
export async function onFreePort(server: Server): Promise<Omit<ScriptedServer, 'seen'>> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export interface HookServer {
  readonly url: string
  readonly posts: readonly Seen[]
  close(): Promise<void>
}

/** A server for webhooks. `answer` writes the reply, by default with status 204. */
export async function hookServer(
  answer: (response: ServerResponse, count: number) => unknown = (response) => response.writeHead(204).end(),
): Promise<HookServer> {
  const server = await scriptedServer((response, _, count) => answer(response, count))
  return {
    url: `${server.baseUrl}/hook`,
    posts: server.seen,
    close: async () => server[Symbol.asyncDispose](),
  }
}

export function text(status: number, body: string, headers: Record<string, string> = {}): Step {
  return (res) => res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

/** Responds with a successful envelope. `json` is a text, so that it can contain numbers of any length. */
export function data(json: string): Step {
  return text(200, `{"request_id":"01BODY","data":${json}}`, { 'Service-Request-Id': '01HEADER' })
}

export function failure(status: number, code: string, message = 'Oh.', headers = {}): Step {
  return text(status, JSON.stringify({ request_id: '01BODY', error: { code, message } }), headers)
}

/** Sends the head and half of the body, then breaks the connection. */
export const truncated: Step = (res) => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
  res.write('{"request_id":"01BODY","data":{', () => res.destroy())
}

/** Breaks the connection before any response. */
export const reset: Step = (res) => res.destroy()

/** Sends the head, and never ends the body. */
export const stalled: Step = (res) => {
  res.writeHead(200, { 'content-type': 'application/json' })
  res.write('{"request_id":')
}

export const mute: Step = () => undefined
