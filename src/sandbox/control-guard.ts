import type { IncomingMessage } from 'node:http'
import { Refusal } from './responses.ts'

/** Paths below this are not the service's. Tests use them to see and change the sandbox. */
export const CONTROL_PREFIX = '/_sandbox/'

/** Required on control endpoints, because browsers let no script set a header that begins with `Sec-`. */
const CONTROL_HEADER = 'sec-faultline-sandbox'

/**
 * Accepts programs of this machine and refuses web pages, both of another origin and of a name that was made to point
 * here (DNS rebinding).
 */
export function checkSideDoor({ socket, headers }: IncomingMessage): void {
  if (!isLoopbackAddress(socket.remoteAddress)) throw new Refusal('RouteNotFound')
  const wrong =
    headers.origin !== undefined
      ? 'web pages are refused (the request has an Origin)'
      : !isLoopbackName(headers.host)
        ? 'only localhost and loopback addresses are accepted (see Host)'
        : headers[CONTROL_HEADER] === undefined
          ? 'add the header Sec-Faultline-Sandbox: 1'
          : undefined
  if (wrong !== undefined) throw new Refusal('AccessDenied', `Control endpoint of the sandbox: ${wrong}.`)
}

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(::1$|127\.|::ffff:127\.)/.test(address)
}

function isLoopbackName(host: string | undefined): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i.test(host ?? '')
}
