import type { IncomingMessage } from 'node:http'
import { Refusal } from './responses.ts'

/** Path prefix of the endpoints with which tests inspect and change the sandbox. The real service has no such paths. */
export const CONTROL_PREFIX = '/_sandbox/'

/** Header that control requests must have. Browsers prevent scripts from setting a header that begins with `Sec-`. */
const CONTROL_HEADER = 'sec-faultline-sandbox'

/** Accepts only programs on this machine. @throws Refusal for other machines, and for web pages */
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
