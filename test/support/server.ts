import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request as the server saw it. `at` is its time in milliseconds. */
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

/** An answer of the server to one request. `count` is the number of the request, from 1. */
export type Step = (res: ServerResponse, seen: Seen, count: number) => void

export interface ScriptedServer extends AsyncDisposable {
  baseUrl: string
  seen: Seen[]
}

/** A real HTTP server on a free port that plays its steps in turn and repeats the last one. */
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A server that receives webhooks. */
export interface HookServer {
  readonly url: string
  readonly posts: readonly Seen[]
  close(): Promise<void>
}

/** A scripted server that receives webhooks. `answer` replies, by default with 204. */
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

/** Answers with any status and text. */
export function text(status: number, body: string, headers: Record<string, string> = {}): Step {
  return (res) => res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}

/** Answers with a successful envelope around `data`, given as JSON text so that numbers of any length can be sent. */
export function data(json: string): Step {
  return text(200, `{"request_id":"01BODY","data":${json}}`, { 'Service-Request-Id': '01HEADER' })
}

/** Answers with a failure envelope. */
export function failure(status: number, code: string, message = 'Oh.', headers = {}): Step {
  return text(status, JSON.stringify({ request_id: '01BODY', error: { code, message } }), headers)
}

/** Sends the head and half of the body, then breaks the connection. */
export const truncated: Step = (res) => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
  res.write('{"request_id":"01BODY","data":{', () => res.destroy())
}

/** Breaks the connection before any answer. */
export const reset: Step = (res) => res.destroy()

/** Sends the head, and never ends the body. */
export const stalled: Step = (res) => {
  res.writeHead(200, { 'content-type': 'application/json' })
  res.write('{"request_id":')
}

/** Never answers. */
export const mute: Step = () => undefined
