import { createHmac } from 'node:crypto'
import { chatShapes } from './chat-shapes.ts'
import { type ScriptedServer, type Seen, scriptedServer } from './server.ts'

/** A local imitation of a chat bot. It responds with HTTP 200 even to errors, like the real bot. */
export interface ChatServer extends ScriptedServer {
  /** The bot’s address, with a token if the service uses one. */
  readonly url: string
  readonly taken: unknown[]
}

export const TOKEN = 'f00dfacef00dfacef00dface'

interface Bot {
  readonly address: string
  readonly accepted: object
  /** Documented responses to a wrong address, body, size or signature. */
  readonly wrong: Readonly<Record<'address' | 'shape' | 'size' | 'signature', object>>
  readonly token: (seen: Seen) => string | null
  /** Returns the time stamp in seconds with its valid signature. */
  readonly signature?: (
    seen: Seen,
    secret: string,
  ) => { readonly seconds: number; readonly given: unknown; readonly right: string }
}

const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('base64')
const dingtalkError = (errcode: number, description: string) => ({
  errcode,
  errmsg: `description:${description}`,
})
const wecomError = (errcode: number, errmsg: string) => ({
  errcode,
  errmsg: `${errmsg}, hint: [1795000000], from ip: 127.0.0.1, more info at https://open.work.weixin.qq.com/devtool/query?e=${errcode}`,
})

const bots: Readonly<Record<'feishu' | 'dingtalk' | 'wecom', Bot>> = {
  feishu: {
    address: `/open-apis/bot/v2/hook/${TOKEN}`,
    accepted: { StatusCode: 0, StatusMessage: 'success', code: 0, data: {}, msg: 'success' },
    wrong: {
      address: { code: 19001, data: {}, msg: 'param invalid: incoming webhook access token invalid' },
      shape: { code: 9499, data: {}, msg: 'Bad Request' },
      size: { code: 19036, data: {}, msg: 'request body is too large' },
      signature: {
        code: 19021,
        data: {},
        msg: 'sign match fail or timestamp is not within one hour from current time',
      },
    },
    token: ({ path }) => path.split('/').at(-1)!,
    signature: ({ body }, secret) => {
      const { timestamp, sign } = JSON.parse(body) as Record<string, unknown>
      return { seconds: Number(timestamp), given: sign, right: hmac(`${timestamp}\n${secret}`, '') }
    },
  },
  dingtalk: {
    address: `/robot/send?access_token=${TOKEN}`,
    accepted: { errcode: 0, errmsg: 'ok' },
    wrong: {
      address: dingtalkError(300005, 'token is not exist'),
      shape: dingtalkError(40035, '缺少参数 json'),
      size: dingtalkError(460101, 'body 大小不合法;solution:请保持大小在 20000bytes 以内;'),
      signature: dingtalkError(310000, '机器人发送签名不匹配;solution:请确认签名;'),
    },
    token: ({ query }) => query.get('access_token'),
    signature: ({ query }, secret) => {
      const timestamp = query.get('timestamp')
      return {
        seconds: Number(timestamp) / 1_000,
        given: query.get('sign'),
        right: hmac(secret, `${timestamp}\n${secret}`),
      }
    },
  },
  wecom: {
    address: `/cgi-bin/webhook/send?key=${TOKEN}`,
    accepted: { errcode: 0, errmsg: 'ok' },
    wrong: {
      address: wecomError(93000, 'invalid webhook url'),
      shape: wecomError(40008, 'invalid message type'),
      size: wecomError(40058, 'markdown.content exceed max length 4096. invalid Request Parameter'),
      signature: {},
    },
    token: ({ query }) => query.get('key'),
  },
}

/**
 * Like the chat service, the server checks address, size, shape and signature of each message in this order.
 * @param first responses to the first requests, whatever they contain
 */
export async function chatServer(
  style: keyof typeof bots,
  {
    secret,
    now = Date.now,
    first = [],
  }: { secret?: string | undefined; now?: () => number; first?: readonly unknown[] } = {},
): Promise<ChatServer> {
  const bot = bots[style]
  const taken: unknown[] = []
  const fault = (seen: Seen): keyof Bot['wrong'] | undefined => {
    if (bot.token(seen) !== TOKEN) return 'address'
    if (Buffer.byteLength(seen.body) > chatShapes[style].bytes) return 'size'
    if (!chatShapes[style].schema.safeParse(JSON.parse(seen.body)).success) return 'shape'
    if (secret === undefined || !bot.signature) return undefined
    const { seconds, given, right } = bot.signature(seen, secret)
    return given === right && Math.abs(now() / 1_000 - seconds) < 3_600 ? undefined : 'signature'
  }
  const server = await scriptedServer((response, seen, count) => {
    const wrong = count > first.length ? fault(seen) : undefined
    const answer = count <= first.length ? first[count - 1] : wrong ? bot.wrong[wrong] : bot.accepted
    if (answer === bot.accepted) taken.push(JSON.parse(seen.body))
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(text)
  })
  return { ...server, url: `${server.baseUrl}${bot.address}`, taken }
}
