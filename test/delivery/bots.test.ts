import { afterEach, describe, expect, test } from 'vitest'
import { bots } from '../../src/delivery/bots.ts'
import { DeliveryError } from '../../src/errors.ts'
import { type ChatServer, chatServer, TOKEN } from '../support/chat-server.ts'
import { card, sample } from '../support/report-result.ts'
import { deliveringOfTests, hookTo, hurried, targets } from './delivering.ts'

/** Bots that respond with HTTP 200 even when they reject a message. */
const styles = ['feishu', 'dingtalk', 'wecom'] as const
const to = deliveringOfTests()
const servers: ChatServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]()
})

async function bot(...[style, options]: Parameters<typeof chatServer>): Promise<ChatServer> {
  const server = await chatServer(style, options)
  servers.push(server)
  return server
}

/** Delivers a report to a bot without real waits. */
async function sent(
  style: (typeof styles)[number],
  url: string,
  {
    secret,
    effects = hurried(),
    result = sample(),
  }: {
    secret?: string | undefined
    effects?: ReturnType<typeof hurried>
    result?: ReturnType<typeof sample>
  } = {},
) {
  const webhook = hookTo(url, { style, secret })
  const [done] = await to.send(result, targets({ webhook, link: 'https://reports.example/f' }), effects)
  return { error: done!.error, waits: effects.waits }
}

describe.each(styles)('a %s bot', (style) => {
  const secret = style === 'wecom' ? undefined : 'SECs3cret'
  const clock = () => hurried().now()
  const large = sample({
    verdict: '火'.repeat(40_000),
    kpis: Array.from({ length: 30 }, () => ({ ...card, label: '<@all>'.repeat(900) })),
    warnings: Array.from({ length: 9 }, () => '慢'.repeat(900)),
  })

  test.each([
    ['an ordinary report', sample()],
    ['a report with very long texts', large],
    ['an empty report', sample({ kpis: [], verdict: '', warnings: [], gates: [] })],
  ])('accepts %s in the documented format', async (_, result) => {
    const { url, taken } = await bot(style, { secret, now: clock })
    expect((await sent(style, url, { secret, result })).error).toBeNull()
    expect(taken).toHaveLength(1)
    expect(JSON.stringify(taken)).toContain('https://reports.example/f/weekly.html')
  })

  test('causes an error without a retry if HTTP 200 contains a rejection', async () => {
    const { url, seen } = await bot(style)
    const { error, waits } = await sent(style, url.replace(TOKEN, 'gone'))
    expect(error).toBeInstanceOf(DeliveryError)
    expect(error?.message).toMatch(
      /^(Feishu|DingTalk|WeCom) rejected the message: the bot does not exist.*, code \d+\.$/,
    )
    expect(error?.next).toContain('from the settings of the bot again')
    expect([seen.length, waits]).toEqual([1, []])
  })

  test('that rejects a message is quoted in the error, without secrets or control characters', async () => {
    const words = { feishu: 'msg', dingtalk: 'errmsg', wecom: 'errmsg' }[style]
    const code = style === 'feishu' ? 'code' : 'errcode'
    const loud = await bot(style, { first: [{ [code]: 77, [words]: `no ${TOKEN}` }] })
    const one = (await sent(style, loud.url)).error
    expect(one?.message).toMatch(/rejected the message: code 77\.$/)
    const other = await bot(style, { first: [{ [code]: 77, [words]: '\u001b[2Jnot\ntoday' }] })
    expect((await sent(style, other.url)).error?.message).toMatch(
      /rejected the message: \ufffd\[2Jnot today, code 77\.$/,
    )
  })

  test.each([['<html>Sign in</html>'], ['{}'], ['[]'], ['null'], ['{"code":"0","errcode":"0"}'], ['']])(
    'is retried after the unexpected response %j',
    async (answer) => {
      const { url, seen } = await bot(style, { first: [answer, answer, answer, answer] })
      const { error } = await sent(style, url)
      expect(error?.message).toMatch(
        /responded with HTTP 200, but not in the format of (Feishu|DingTalk|WeCom)/,
      )
      expect(`${error?.message} ${error?.next}`).not.toMatch(/127\.0\.0\.1|f00dface/)
      expect(seen).toHaveLength(4)
    },
  )
})

test.each([
  ['feishu', { code: 11232, msg: 'create message trigger ratelimit' }],
  ['feishu', { code: 99991400, msg: 'request trigger frequency limit' }],
  ['feishu', { StatusCode: 9499, StatusMessage: 'too many request' }],
  ['dingtalk', { status: 1111, wait: 5, punish: 'deny', errcode: 130101, errmsg: 'send too fast' }],
  ['dingtalk', { errcode: 410100, errmsg: '发送速度太快而限流' }],
  ['dingtalk', { errcode: -1, errmsg: '系统繁忙' }],
  ['wecom', { errcode: 45009, errmsg: 'api freq out of limit' }],
  ['wecom', { errcode: 45033, errmsg: 'concurrent out of limit' }],
  ['wecom', { errcode: -1, errmsg: 'system busy' }],
] as const)('a message to %s is retried after the busy response %j', async (style, answer) => {
  const server = await bot(style, { first: [answer, answer] })
  const effects = hurried()
  expect(await sent(style, server.url, { effects })).toEqual({ error: null, waits: [2_000, 10_000] })
  expect(server.taken).toHaveLength(1)
})

test.each([
  ['feishu', { code: 19021, msg: 'sign match fail' }, /signature is invalid/, /secret.*clock/],
  ['feishu', { code: 19024, msg: 'Key Words Not Found' }, /keywords/, /settings to signatures/],
  ['feishu', { code: 19022, msg: 'Ip Not Allowed' }, /address is not permitted/, /settings to signatures/],
  ['dingtalk', { errcode: 310000, errmsg: 'keywords not in content' }, /signature.*keywords/, /clock/],
  ['dingtalk', { errcode: 460101, errmsg: 'message too long' }, /too long/, /undefined/],
  ['wecom', { errcode: 40058, errmsg: 'exceed max length 4096' }, /too long/, /undefined/],
  ['wecom', { errcode: 93004, errmsg: 'robot disabled' }, /switched off/, /settings of its group/],
] as const)(
  'a message to %s is not retried after the permanent error %j',
  async (style, answer, message, next) => {
    const { url, seen } = await bot(style, { first: [answer] })
    const { error } = await sent(style, url)
    expect(error?.message).toMatch(message)
    expect(String(error?.next)).toMatch(next)
    expect(seen).toHaveLength(1)
  },
)

test.each(['feishu', 'dingtalk'] as const)(
  'a wrong secret for %s is reported as an invalid signature',
  async (style) => {
    const { url } = await bot(style, { secret: 'SECright', now: () => hurried().now() })
    for (const secret of ['SECwrong', undefined])
      expect((await sent(style, url, { secret })).error?.message).toMatch(/signature is invalid/)
    const late = await bot(style, { secret: 'SECright', now: () => hurried().now() + 3_700_000 })
    expect((await sent(style, late.url, { secret: 'SECright' })).error?.next).toMatch(/clock/)
  },
)

test.each(['feishu', 'dingtalk'] as const)(
  'a message to %s has a new signature for each attempt',
  async (style) => {
    let now = hurried().now()
    const busy = { feishu: { code: 11232 }, dingtalk: { errcode: 130101 } }[style]
    const server = await bot(style, { secret: 'SECright', now: () => now, first: [busy] })
    const sleep = async () => {
      now += 5_400_000
      return undefined
    }
    const effects = { ...hurried(), now: () => now, sleep }
    expect((await sent(style, server.url, { secret: 'SECright', effects })).error).toBeNull()
    expect(server.taken).toHaveLength(1)
  },
)

test('signatures match the documented examples of Feishu and DingTalk', () => {
  const request = {
    url: new URL('https://oapi.dingtalk.com/robot/send?access_token=x'),
    body: '{"msg_type":"text"}',
  }
  const feishu = bots.feishu!.sign!(request, 's3cret', 1_795_000_000_123)
  expect(JSON.parse(feishu.body)).toEqual({
    timestamp: '1795000000',
    // Python: `base64(hmac.new(b"1795000000\ns3cret", b"", sha256))`
    sign: 'VJ7TVAmDYWo/4O2yWAbhdCnRcYGWP8E6AKcsvF/pUcs=',
    msg_type: 'text',
  })
  const dingtalk = bots.dingtalk!.sign!(request, 's3cret', 1_795_000_000_123)
  // Python: `urllib.parse.quote_plus(base64(hmac.new(b"s3cret", b"1795000000123\ns3cret", sha256)))`
  const sign = '2Z9lHcHhp1JI1bQ%2F5Fpz2NQD%2BoMhzNkmPp4Qb8Z4dkY%3D'
  expect(dingtalk.url.search).toBe(`?access_token=x&timestamp=1795000000123&sign=${sign}`)
  expect(request.url.search).toBe('?access_token=x')
  expect(bots.wecom!.sign).toBeUndefined()
})
