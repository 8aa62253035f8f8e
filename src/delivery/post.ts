import { createHmac } from 'node:crypto'
import { Agent, EnvHttpProxyAgent, request } from 'undici'
import type { WebhookTarget } from '../config/delivery-targets.ts'
import { isLoopback } from '../config/loopback.ts'
import { DeliveryError } from '../errors.ts'
import { tlsFault } from '../foreign-errors.ts'

const TIMEOUT_MS = 20_000

/** A message for a webhook. */
export interface Message {
  /** The same on every try, also of another process, so that a receiver can drop duplicates. */
  readonly id: string
  /** Unix ms. */
  readonly date: number
  /** JSON. */
  readonly body: string
}

/**
 * Posts a message once, by the proxy of the environment as the client does. Redirects are not followed.
 *
 * With a secret the message is signed: `X-Faultline-Signature: sha256=` and, in hex, the HMAC-SHA256 of the time in
 * `X-Faultline-Timestamp` (Unix seconds), a dot and the body.
 * @throws DeliveryError, never with the address, which may be a secret
 */
export async function post(
  message: Message,
  { url, secret }: Pick<WebhookTarget, 'url' | 'secret'>,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const timestamp = String(Math.floor(message.date / 1_000))
  const options = { connect: { timeout: timeoutMs } }
  const dispatcher = isLoopback(url.hostname) ? new Agent(options) : new EnvHttpProxyAgent(options)
  try {
    const { statusCode, body } = await request(url, {
      method: 'POST',
      dispatcher,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'faultline',
        'idempotency-key': message.id,
        'x-faultline-delivery': message.id,
        'x-faultline-timestamp': timestamp,
        ...(secret !== undefined && {
          'x-faultline-signature': `sha256=${signatureOf(`${timestamp}.${message.body}`, secret)}`,
        }),
      },
      body: message.body,
    })
    // Only the status counts; the body may be cut or endless.
    await body.dump({ limit: 64 * 1024 }).catch(() => undefined)
    if (statusCode < 200 || statusCode > 299) throw statusError(statusCode)
  } catch (cause) {
    if (cause instanceof DeliveryError) throw cause
    const reason =
      cause instanceof Error && cause.name !== 'TimeoutError'
        ? reasonOf(cause)
        : `no answer in ${timeoutMs / 1_000} s`
    const tls = cause instanceof Error ? tlsFault(cause) : undefined
    throw new DeliveryError(`The webhook could not be reached: ${reason}`, {
      isTransient: tls === undefined,
      next: tls?.next ?? 'Check the network and the address of `delivery.webhook`.',
    })
  } finally {
    await dispatcher.destroy()
  }
}

function signatureOf(text: string, secret: string): string {
  return createHmac('sha256', secret).update(text).digest('hex')
}

function statusError(status: number): DeliveryError {
  if (status >= 300 && status < 400) {
    return new DeliveryError(
      `The webhook answered with a redirect (HTTP ${status}), which is not followed.`,
      {
        isTransient: false,
        next: 'Set `delivery.webhook` to the address it leads to, if that is the right one.',
      },
    )
  }
  return new DeliveryError(`The webhook answered with HTTP ${status}.`, {
    isTransient: status === 408 || status === 429 || status >= 500,
    next:
      status === 401 || status === 403
        ? 'Check the address and the secret of `delivery.webhook`.'
        : undefined,
  })
}

/** Only the code: the message names the host. */
function reasonOf(cause: Error): string {
  return 'code' in cause ? String(cause.code) : cause.name
}
