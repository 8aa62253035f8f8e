import { createHmac } from 'node:crypto'
import type { ChatStyle } from '../config/chat-services.ts'

/** The meaning of an error code in the response of a chat service. */
interface Refusal {
  readonly says: string
  readonly next?: string
  /** Whether a retry can succeed, because the service was busy or the bot sent too many messages. */
  readonly isTransient?: true
}

interface Signed {
  readonly url: URL
  readonly body: string
}

/** The protocol of a bot that responds to every message with HTTP 200, even if it rejects the message. */
export interface Bot {
  /** Fields of the response that can contain the result code, in order of precedence. Code 0 means success. */
  readonly codes: readonly string[]
  readonly words: string
  readonly refusals: Readonly<Record<number, Refusal>>
  /** Signs a request. `now` is Unix ms. The service accepts the signature for one hour. */
  readonly sign?: (request: Signed, secret: string, now: number) => Signed
}

const SECURITY =
  'The bot is secured by keywords or IP addresses. Change its settings to signatures, and set the signing key as the secret.'
const SIGNATURE = "Check the secret of `delivery.webhook`, and this machine's clock."
const ADDRESS = 'Copy the address of `delivery.webhook` from the settings of the bot again.'
const BOT = 'Check the bot in the settings of its group.'

const TOO_FAST = { says: 'too many messages', isTransient: true } as const
const BUSY = { says: 'it is busy', isTransient: true } as const
const TOO_LONG = { says: 'the message is too long' }
const MALFORMED = { says: 'the message format is invalid' }
const UNKNOWN = { says: 'the bot does not exist', next: ADDRESS }

/** The bots by chat service. Slack and Teams reject messages with an HTTP error, so they are not listed. */
export const bots: { readonly [Style in ChatStyle]?: Bot } = {
  /** Documentation: open.feishu.cn/document/client-docs/bot-v3/add-custom-bot */
  feishu: {
    codes: ['code', 'StatusCode'],
    words: 'msg',
    refusals: {
      2200: BUSY,
      // The service sends this code for a bad request, and under load.
      9499: { says: 'too many messages, or the message format is invalid', isTransient: true },
      11232: TOO_FAST,
      19001: UNKNOWN,
      19002: MALFORMED,
      19007: { says: 'the bot is switched off', next: BOT },
      19021: { says: 'the signature is invalid, or older than one hour', next: SIGNATURE },
      19022: { says: 'this IP address is not permitted', next: SECURITY },
      19024: { says: 'the message contains none of its keywords', next: SECURITY },
      19036: TOO_LONG,
      99991400: TOO_FAST,
    },
    // For Feishu, the signed text is empty. The key consists of the timestamp and the secret.
    sign: ({ url, body }, secret, now) => {
      const timestamp = String(Math.floor(now / 1_000))
      const sign = hmac(`${timestamp}\n${secret}`, '')
      return { url, body: JSON.stringify({ timestamp, sign, ...JSON.parse(body) }) }
    },
  },
  /** Documentation: open.dingtalk.com/document/robots/custom-robot-access */
  dingtalk: {
    codes: ['errcode'],
    words: 'errmsg',
    refusals: {
      [-1]: BUSY,
      40035: MALFORMED,
      130101: { ...TOO_FAST, says: 'more than 20 messages in a minute, and none for ten minutes' },
      300001: UNKNOWN,
      300005: UNKNOWN,
      310000: {
        says: 'the signature is invalid or older than one hour, the message contains none of its keywords, or this IP address is not permitted',
        next: `${SIGNATURE} ${SECURITY}`,
      },
      400013: { says: 'its group was dissolved', next: ADDRESS },
      400101: UNKNOWN,
      400102: { says: 'the bot is switched off', next: BOT },
      400105: MALFORMED,
      400106: UNKNOWN,
      410100: { ...TOO_FAST, says: 'more than 20 messages in a minute, and none for ten minutes' },
      430101: {
        says: 'a link in the message is considered unsafe',
        next: 'Allow the address of `delivery.link`.',
      },
      460101: TOO_LONG,
    },
    sign: ({ url, body }, secret, now) => {
      const signed = new URL(url)
      signed.searchParams.set('timestamp', String(now))
      signed.searchParams.set('sign', hmac(secret, `${now}\n${secret}`))
      return { url: signed, body }
    },
  },
  /** Documentation: developer.work.weixin.qq.com/document/path/91770 and …/90313 */
  wecom: {
    codes: ['errcode'],
    words: 'errmsg',
    refusals: {
      [-1]: BUSY,
      6000: BUSY,
      40008: MALFORMED,
      40058: { says: 'the message is too long, or its format is invalid' },
      45002: TOO_LONG,
      45009: TOO_FAST,
      45033: TOO_FAST,
      93000: { says: 'the bot does not exist, or it left the group', next: ADDRESS },
      93004: { says: 'the bot is switched off', next: BOT },
      93008: { says: 'the bot is not in the group', next: BOT },
    },
  },
}

function hmac(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64')
}
