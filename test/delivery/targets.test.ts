import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { targetsOf } from '../../src/config/delivery-targets.ts'
import { ConfigError } from '../../src/errors.ts'
import { ownFolder } from '../support/folder.ts'

const folder = ownFolder()
writeFileSync(join(folder, 'password'), 'from the file\n')
writeFileSync(join(folder, 'empty'), '\n')

function targets(delivery: object, environment: Record<string, string> = {}) {
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify({ delivery }))
  return targetsOf(loadConfig({ config }, environment).delivery)
}

const mail = { host: 'smtp.example', user: 'u', from: 'f@company.example' }

describe('the secrets of a delivery', () => {
  test('are read from the environment first, then from the configured file', () => {
    const withFile = { mail: { ...mail, passwordFile: 'password' } }
    expect(targets(withFile).mail?.login).toEqual({ user: 'u', password: 'from the file' })
    const found = targets(withFile, { FAULTLINE_SMTP_PASSWORD: 'from outside' })
    expect(found.mail?.login?.password).toBe('from outside')
    expect(found.secrets).toEqual(['from outside'])
  })

  test('include the webhook URL', () => {
    writeFileSync(join(folder, 'url'), 'https://hooks.example/T0P/s3cret\n')
    const found = targets({ webhook: { urlFile: 'url', secretFile: 'password' } })
    expect(found.webhook).toMatchObject({
      url: new URL('https://hooks.example/T0P/s3cret'),
      secret: 'from the file',
    })
    expect(found.secrets).toEqual(['from the file', 'https://hooks.example/T0P/s3cret'])
    const outside = { FAULTLINE_WEBHOOK_URL: 'https://other.example/x', FAULTLINE_WEBHOOK_SECRET: 'k' }
    expect(targets({ webhook: {} }, outside).webhook?.url.host).toBe('other.example')
  })

  test.each([
    [{ mail }, /password for u at smtp\.example/],
    [{ mail: { ...mail, passwordFile: 'nowhere' } }, /cannot be read from .*nowhere/],
    [{ mail: { ...mail, passwordFile: 'empty' } }, /is empty/],
    [{ webhook: {} }, /address of the webhook is missing/],
    [
      { webhook: { url: 'https://hooks.example/s3cret', picture: true } },
      /webhook with a picture requires a public address/,
    ],
    [{ webhook: { url: 'http://hooks.example/s3cret' } }, /must begin with https/],
    [
      { webhook: { url: 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=s3cret' } },
      /address of WeCom, but the style "json"/,
    ],
    [
      { webhook: { url: 'https://open.larksuite.com/open-apis/bot/v2/hook/s3cret', style: 'dingtalk' } },
      /address of Feishu, but the style "dingtalk"/,
    ],
    [
      { webhook: { url: 'https://hooks.example/s3cret', style: 'wecom', secretFile: 'password' } },
      /WeCom does not use signatures, but a secret is set/,
    ],
    [
      { webhook: { url: 'https://hooks.example/s3cret', style: 'feishu', picture: true } },
      /Feishu cannot show pictures by address/,
    ],
    [{ webhook: { url: 'https://hooks.example/s3cret', style: 'lark' } }, /delivery\.webhook\.style/],
  ])('are hidden in the error for the settings %j', (delivery, message) => {
    expect(() => targets(delivery)).toThrow(ConfigError)
    expect(() => targets(delivery)).toThrow(message)
    expect(() => targets(delivery)).not.toThrow(/s3cret/)
  })

  test.each([
    ['feishu', 'https://open.feishu.cn/open-apis/bot/v2/hook/0123456789abcdef-s3cret'],
    ['dingtalk', 'https://oapi.dingtalk.com/robot/send?access_token=0123456789abcdef-s3cret'],
    ['wecom', 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=0123456789abcdef-s3cret'],
  ] as const)('include the URL and the token of a %s webhook', (style, url) => {
    const found = targets({ webhook: { url, style } })
    expect(found.webhook).toMatchObject({ url: new URL(url), style })
    expect(found.secrets).toEqual([url, '0123456789abcdef-s3cret'])
  })

  test('may be sent without TLS only to this machine', () => {
    const [here, elsewhere] = ['http://127.0.0.1:1/x', 'http://127.0.0.1.evil.example/']
    expect(targets({ webhook: { url: here } }).webhook?.url.href).toBe(here)
    for (const url of [elsewhere, 'ftp://localhost/'])
      expect(() => targets({ webhook: { url } })).toThrow(ConfigError)
  })
})

describe('the mail settings of a delivery', () => {
  test('send a report to the default recipients unless the settings list the report', () => {
    const found = targets({
      mail: {
        ...mail,
        user: undefined,
        to: 'all@company.example',
        reports: { weekly: ['w@company.example'], daily: [] },
      },
    })
    const recipients = (report: string) => found.mail?.recipients(report)
    expect(recipients('weekly')).toEqual(['w@company.example'])
    expect(recipients('daily')).toEqual([])
    expect(recipients('other')).toEqual(['all@company.example'])
    expect(recipients('constructor')).toEqual(['all@company.example'])
  })

  test.each(['Faultline <f@company.example>', 'f@company.example', 'Zoë (on call) <zoe@company.example>'])(
    'accept the sender %s',
    (from) => {
      expect(targets({ mail: { host: 'h', from } }).mail?.from).toBe(from)
    },
  )

  test.each([
    'f@company.example\nBcc: victim@evil.example',
    'f@company.example, victim@evil.example',
    'x <a@b.example> <c@d.example>',
    'nobody',
    '',
  ])('reject the invalid sender %j', (from) => {
    expect(() => targets({ mail: { host: 'h', from } })).toThrow(/delivery\.mail\.from/)
  })
})

test('a report is only written to the folder if the configuration has no delivery section', () => {
  expect(targets({})).toMatchObject({ folder: true, mail: undefined, webhook: undefined, secrets: [] })
})
