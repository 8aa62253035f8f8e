import { type ChatStyle, chatServices } from '../config/chat-services.ts'
import { DeliveryError } from '../errors.ts'
import { clean, shorten } from '../render/sanitize-text.ts'
import { bots } from './bots.ts'

/** Checks the result code in the response of a bot. @throws DeliveryError if the bot rejected the message */
export function checkWebhookResponse(
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

/** Returns the error message of the service, for a code that `bots` does not explain. Empty if it contains a secret. */
function wordsOf(words: unknown, secrets: readonly string[]): string {
  if (typeof words !== 'string' || secrets.some((secret) => words.includes(secret))) return ''
  return shorten(clean(words), 200)
}
