import { createHmac } from 'node:crypto'
import { Agent, EnvHttpProxyAgent, request } from 'undici'
import { type ChatStyle, chatServices } from '../config/chat-services.ts'
import type { WebhookTarget } from '../config/delivery-targets.ts'
import { DeliveryError } from '../errors.ts'
import { tlsFault } from '../external-errors.ts'
import { clean, shorten } from '../render/sanitize-text.ts'
import { isLoopback } from '../settings/loopback.ts'
import { bots } from './bots.ts'

const TIMEOUT_MS = 20_000
const ANSWER_BYTES = 64 * 1024

export interface Message {
  /** Stays the same on retries, even from another process, so that receivers can drop duplicates. */
  readonly id: string
  /** Time of sending (Unix ms), which is signed so that receivers can reject old messages. */
  readonly date: number
  readonly body: string
}

/**
 * Posts a message once, through the proxy that environment variables set. Does not follow redirects.
 * The header `X-Faultline-Signature` is `sha256=` and a hexadecimal HMAC-SHA256 of `X-Faultline-Delivery` (the id),
 * `X-Faultline-Timestamp` (Unix seconds) and the body, joined by dots. Chat bots have their own signatures (`bots`).
 * @throws DeliveryError without the address in its text, because the address may be a secret
 */
export async function post(
  message: Message,
  target: Pick<WebhookTarget, 'url' | 'secret'> & Partial<Pick<WebhookTarget, 'style'>>,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const { url, style = 'json' } = target
  const options = { connect: { timeout: timeoutMs } }
  const dispatcher = isLoopback(url.hostname) ? new Agent(options) : new EnvHttpProxyAgent(options)
  try {
    const signed = signedFor(target, message)
    const { statusCode, body } = await request(signed.url, {
      method: 'POST',
      dispatcher,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'faultline',
        'idempotency-key': message.id,
        'x-faultline-delivery': message.id,
        ...signed.headers,
      },
      body: signed.body,
    })
    if (style !== 'json' && bots[style]) {
      const answer = { status: statusCode, body: await startOf(body) }
      checkWebhookResponse(style, answer, secretsOf(target, signed.url))
    } else {
      // Only the status matters. The body could be truncated or endless.
      await body.dump({ limit: ANSWER_BYTES }).catch(() => undefined)
    }
    if (statusCode < 200 || statusCode > 299) throw statusError(statusCode)
  } catch (cause) {
    if (cause instanceof DeliveryError) throw cause
    const reason =
      cause instanceof Error && cause.name !== 'TimeoutError'
        ? reasonOf(cause)
        : `no response within ${timeoutMs / 1_000} s`
    const tls = cause instanceof Error ? tlsFault(cause) : undefined
    throw new DeliveryError(`The webhook could not be reached: ${reason}`, {
      isTransient: tls === undefined,
      next: tls?.next ?? 'Check the network and the address of `delivery.webhook`.',
    })
  } finally {
    await dispatcher.destroy()
  }
}

function signedFor(
  { url, secret, style = 'json' }: Parameters<typeof post>[1],
  { id, body, date }: Message,
): { readonly url: URL; readonly body: string; readonly headers: Readonly<Record<string, string>> } {
  const bot = style === 'json' ? undefined : bots[style]
  if (bot)
    return { ...(secret && bot.sign ? bot.sign({ url, body }, secret, date) : { url, body }), headers: {} }
  const timestamp = String(Math.floor(date / 1_000))
  const signature = secret !== undefined && {
    'x-faultline-signature': `sha256=${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('hex')}`,
  }
  return { url, body, headers: { 'x-faultline-timestamp': timestamp, ...signature } }
}

/** Returns the strings that an error message must not contain: the secret, and parts of the address. */
function secretsOf({ secret }: Parameters<typeof post>[1], { searchParams, pathname }: URL): string[] {
  return [secret ?? '', ...searchParams.values(), ...pathname.split('/')].filter((one) => one.length >= 8)
}

async function startOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size > ANSWER_BYTES) break
  }
  return Buffer.concat(chunks).toString('utf8')
}

function statusError(status: number): DeliveryError {
  if (status >= 300 && status < 400) {
    const message = `The webhook responded with a redirect (HTTP ${status}), which is not followed.`
    const next = 'If the target is correct, set `delivery.webhook` to it.'
    return new DeliveryError(message, { isTransient: false, next })
  }
  return new DeliveryError(`The webhook responded with HTTP ${status}.`, {
    isTransient: status === 408 || status === 429 || status >= 500,
    next: [401, 403].includes(status) ? 'Check the address and the secret of `delivery.webhook`.' : undefined,
  })
}

/** Returns the code of an error, not its message, because the message contains the host. */
function reasonOf(cause: Error): string {
  return 'code' in cause ? String(cause.code) : cause.name
}

/** Checks the result code in the response of a bot. @throws DeliveryError if the bot rejected the message */
function checkWebhookResponse(
  style: ChatStyle,
  { status, body }: { readonly status: number; readonly body: string },
  secrets: readonly string[],
): void {
  const bot = bots[style]
  if (!bot) return
  const { name } = chatServices[style]
  const answer = objectIn(body)
  const code = bot.codes.map((field) => answer[field]).find((value) => typeof value === 'number')
  if (code === 0) return
  if (code === undefined) {
    if (status < 200 || status > 299) return
    throw new DeliveryError(`The webhook responded with HTTP ${status}, but not in the format of ${name}.`, {
      isTransient: true,
      next: 'Check the address of `delivery.webhook`, and proxies or sign-in pages that may respond instead.',
    })
  }
  const refusal = bot.refusals[code as number]
  const says = refusal?.says ?? wordsOf(answer[bot.words], secrets)
  throw new DeliveryError(
    `${name} rejected the message: ${[says, `code ${code}`].filter(Boolean).join(', ')}.`,
    { isTransient: refusal?.isTransient ?? status >= 500, next: refusal?.next },
  )
}

function objectIn(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/** Returns the error message of the service, for a code that `bots` does not list. Empty if it contains a secret. */
function wordsOf(words: unknown, secrets: readonly string[]): string {
  if (typeof words !== 'string' || secrets.some((secret) => words.includes(secret))) return ''
  return shorten(clean(words), 200)
}
