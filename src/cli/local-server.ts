import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigError } from '../errors.ts'
import { reasonOf } from '../external-errors.ts'
import { isLoopback } from '../settings/loopback.ts'

export interface LocalServer {
  readonly url: string
  close(): void
}

interface ListenOptions {
  readonly host?: string | undefined
  readonly port: number
  /** Name of the option that sets the port, for error messages. */
  readonly option: string
  readonly onError: (text: string) => void
  /** Milliseconds after which an idle connection is closed. */
  readonly stalledMs?: number
}

const NOT_BY_NAME =
  'Only available on this machine: open http://localhost on this port, or on a forwarded port.\n'
const NOT_TO_OTHERS = 'Requests from other sites are not permitted.\n'

/**
 * On a loopback address, rejects requests to other host names and requests that pages of other sites send.
 * @throws ConfigError if the port cannot be used
 */
export async function listenLocally(
  { host = '127.0.0.1', port, option, onError, stalledMs = 120_000 }: ListenOptions,
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<LocalServer> {
  const isLocal = isLoopback(host)
  const server = createServer(async (request, response) => {
    const note = (error: unknown) => onError(`${shown(request)}: ${reasonOf(error)}`)
    response.on('error', note)
    try {
      const refusal = isLocal ? refusalOf(request.headers) : undefined
      for (const [name, value] of HEADERS) response.setHeader(name, value)
      if (refusal === undefined) await answer(request, response)
      else response.writeHead(403, { 'content-type': 'text/plain' }).end(refusal)
    } catch (error) {
      note(error)
      if (response.headersSent) response.destroy()
      else response.writeHead(500, { 'content-type': 'text/plain' }).end('The request failed. See the log.\n')
    }
  })
  server.timeout = stalledMs
  server.listen(port, host.replace(/^\[|\]$/g, ''))
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw new ConfigError(`${option}: cannot listen on ${host}:${port}: ${reasonOf(cause)}`, {
      cause,
      next: 'Use another port, or 0 for any free port.',
    })
  }
  // An error such as too many open files does not end the server. The next connection can still succeed.
  server.on('error', (error) => onError(`${option}: ${reasonOf(error)}`))
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** With these headers, other sites cannot embed or read responses, and browsers do not guess content types. */
const HEADERS = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'no-cache'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Content-Security-Policy', "frame-ancestors 'self'"],
] as const

function refusalOf(headers: IncomingHttpHeaders): string | undefined {
  if (!OWN_NAME.test(headers.host ?? '')) return NOT_BY_NAME
  return isFromOtherSite(headers) ? NOT_TO_OTHERS : undefined
}

/** Matches this machine's names in the Host header. A DNS rebinding attack sends the attacker's host name. */
const OWN_NAME = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i

/** Whether a page of another site sent the request, other than by a link. Only browsers send these headers. */
function isFromOtherSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'] ?? 'none'
  const isFollowed = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return site !== 'none' && site !== 'same-origin' && !isFollowed
}

const shown = ({ method, url = '' }: IncomingMessage) => `${method} ${url.slice(0, 200)}`

/** Parses a port number. @throws ConfigError if it is invalid */
export function parsePort(option: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new ConfigError(`${option}: "${text}" is not a port.`, {
    next: 'Use a number from 0 to 65535, where 0 means any free port.',
  })
}
