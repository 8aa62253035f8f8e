import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { findChromium } from '../../src/config/chromium.ts'
import type { Targets } from '../../src/config/delivery-targets.ts'
import { type DeliverOptions, deliver } from '../../src/delivery/deliver.ts'
import { prune } from '../../src/delivery/prune.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { virtualTime } from '../support/clock.ts'
import { smtpServer } from '../support/mail-server.ts'
import { sample } from '../support/report-result.ts'
import { hookServer } from '../support/server.ts'

const never = new AbortController().signal
let out: string
const closing: (() => Promise<void>)[] = []

beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'faultline-deliver-'))
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  rmSync(out, { recursive: true })
})

/** A clock whose sleeps are over at once, and noted. */
function hurried() {
  const time = virtualTime(Date.parse('2026-11-21T06:30:00Z'))
  const waits: number[] = []
  return { ...time, waits, sleep: async (ms: number) => void waits.push(ms) }
}

async function smtp(...answer: Parameters<typeof smtpServer>) {
  const server = await smtpServer(...answer)
  closing.push(server.close)
  return server
}
async function http(...answer: Parameters<typeof hookServer>) {
  const server = await hookServer(...answer)
  closing.push(server.close)
  return server
}

function targets(changes: Partial<Targets>): Targets {
  return { folder: false, link: undefined, mail: undefined, webhook: undefined, secrets: [], ...changes }
}

function mailTo(port: number, recipients: (report: string) => readonly string[]): Targets['mail'] {
  return {
    host: '127.0.0.1',
    port,
    secure: false,
    login: undefined,
    from: 'f@company.example',
    picture: false,
    recipients,
  }
}

/** What was sent, by its keys. */
function remembering() {
  const sent = new Map<string, string>()
  const note = async ({ key }: { key: string }) => void sent.set(key, '2026-11-21T06:30:00.000Z')
  return { keys: sent, sent: async () => sent, note }
}

const subject = { parameters: '', due: '2026-11-21T06:30:00.000Z' }
const send = (
  result: ReportResult,
  chosen: Targets,
  effects = hurried(),
  more: Partial<DeliverOptions> = {},
) =>
  deliver(result, {
    ...{ out, targets: chosen, effects, signal: never, subject, ledger: remembering() },
    ...more,
  })

describe('a report', () => {
  test('goes to the folder, the mail and the webhook, which lead to the same page', async () => {
    const mails = await smtp()
    const { url, posts } = await http()
    const done = await send(
      sample(),
      targets({
        folder: true,
        link: 'https://reports.example/faultline/',
        mail: mailTo(mails.port, () => ['a@company.example']),
        webhook: { url: new URL(url), secret: 'k', style: 'json', picture: false, wants: () => true },
      }),
    )
    expect(done.map(({ channel, error }) => [channel, error])).toEqual([
      ['folder', null],
      ['mail', null],
      ['webhook', null],
    ])
    const path = 'history/weekly/2026-08-17..2026-11-16.html'
    const page = readFileSync(join(out, path), 'utf8')
    expect(page).toContain('<svg')
    const raw = mails.mails[0]!.raw
    expect(raw).toMatch(/filename=weekly-2026-08-17\.\.2026-11-16\.html/)
    const attached = raw.slice(raw.indexOf('filename=weekly')).split('\r\n\r\n')[1]!.split('\r\n--')[0]!
    expect(Buffer.from(attached, 'base64').toString()).toBe(page)
    expect(JSON.parse(posts[0]!.body)).toMatchObject({
      event: 'report',
      report: 'weekly',
      delivered_at: '2026-11-21T06:30:00.000Z',
      path,
      link: `https://reports.example/faultline/${path}`,
      kpis: [{ n: 1430, interval: ['5 h', '6 h'] }],
      warnings: [expect.stringContaining('3 records')],
    })
  })

  test.each([
    ['2026-11-21T06:30:00Z', ''],
    // Three hours later than it was made the night before, and the sync of this night failed.
    ['2026-11-22T01:40:00Z', ' (data of Saturday)'],
    ['2026-12-01T06:30:00Z', ' (data of 21 Nov 2026)'],
  ])('on data that did not move goes out, and its title says so: %s', async (now, said) => {
    const mails = await smtp()
    const { url, posts } = await http()
    const webhook = { url: new URL(url), secret: undefined, picture: false, wants: () => true }
    const chosen = targets({
      folder: true,
      mail: mailTo(mails.port, () => ['a@company.example']),
      webhook: { ...webhook, style: 'slack' },
    })
    await send(sample({ title: 'Weekly', verdict: 'Half.' }), chosen, {
      ...hurried(),
      now: () => Date.parse(now),
    })
    expect(/^Subject: (.*)$/m.exec(mails.mails[0]!.raw)?.[1]).toBe(`Weekly${said}: Half.`)
    expect(JSON.parse(posts[0]!.body).blocks[0].text.text).toBe(`Weekly${said}`)
    // The page says when its data was read, and stays as it was made.
    expect(readFileSync(join(out, 'history/weekly/2026-08-17..2026-11-16.html'), 'utf8')).toContain(
      '<title>Weekly',
    )
  })

  test.skipIf(findChromium() === null)('goes with a picture of its head where that is wanted', async () => {
    const mails = await smtp()
    const { url, posts } = await http()
    const done = await send(
      sample(),
      targets({
        folder: true,
        link: 'https://reports.example',
        mail: { ...mailTo(mails.port, () => ['a@company.example'])!, picture: true },
        webhook: { url: new URL(url), secret: undefined, style: 'slack', picture: true, wants: () => true },
      }),
    )
    expect(done.map(({ error }) => error)).toEqual([null, null, null])
    const path = 'history/weekly/2026-08-17..2026-11-16.png'
    const picture = readFileSync(join(out, path))
    expect([picture.readUInt32BE(16), picture.subarray(1, 4).toString()]).toEqual([1_200, 'PNG'])
    const raw = mails.mails[0]!.raw
    expect(raw).toMatch(/Content-Id: <head@faultline>/i)
    expect(raw.replace(/=\r\n/g, '')).toContain('src=3D"cid:head@faultline"')
    expect(posts[0]!.body).toContain(`"image_url":"https://reports.example/${path}"`)
    expect(prune(out, { runs: 1 }, Date.parse('2026-11-21T06:30:00Z'))).toEqual([])
  })

  test('goes without one, and says why, where there is no browser', async () => {
    const mails = await smtp()
    const effects = hurried()
    const chromium = process.env.CHROMIUM
    process.env.CHROMIUM = join(out, 'nowhere')
    const mail = { ...mailTo(mails.port, () => ['a@company.example'])!, picture: true }
    const done = await send(sample(), targets({ mail }), effects).finally(() => {
      if (chromium === undefined) delete process.env.CHROMIUM
      else process.env.CHROMIUM = chromium
    })
    expect(done.map(({ error }) => error)).toEqual([null])
    expect(mails.mails[0]!.raw).not.toContain('head@faultline')
    expect(JSON.stringify(effects.lines)).toContain('No PDF or picture can be made')
  })

  test('goes to those who want it', async () => {
    const mails = await smtp()
    const { url, posts } = await http()
    const chosen = targets({
      mail: mailTo(mails.port, (report) => (report === 'weekly' ? ['w@company.example'] : [])),
      webhook: {
        url: new URL(url),
        secret: undefined,
        style: 'json',
        picture: false,
        wants: (report) => report !== 'weekly',
      },
    })
    expect((await send(sample(), chosen)).map(({ channel }) => channel)).toEqual(['mail'])
    expect((await send(sample({ name: 'daily' }), chosen)).map(({ channel }) => channel)).toEqual(['webhook'])
    expect(mails.mails.map(({ to }) => to)).toEqual([['w@company.example']])
    expect(posts.map(({ body }) => JSON.parse(body).report)).toEqual(['daily'])
  })
})

describe('what was sent', () => {
  const both = async (answer?: Parameters<typeof smtpServer>[0]) => {
    const mails = await smtp(answer)
    const { url, posts } = await http()
    const webhook = { url: new URL(url), secret: undefined, style: 'json' as const, picture: false }
    const to = ['a@company.example', 'B <b@company.example>']
    const chosen = (recipients = to) =>
      targets({ mail: mailTo(mails.port, () => recipients), webhook: { ...webhook, wants: () => true } })
    const idsOf = () => mails.mails.map(({ raw }) => /^Message-ID: <(.*?)@/m.exec(raw)?.[1])
    return { mails, posts, chosen, idsOf }
  }

  test('is not sent again, whoever asks, until that is asked for', async () => {
    const { mails, posts, chosen, idsOf } = await both()
    const ledger = remembering()
    const first = await send(sample(), chosen(), hurried(), { ledger })
    expect(first.map(({ channel, error, sentAt }) => [channel, error, sentAt])).toEqual([
      ['mail', null, null],
      ['webhook', null, null],
    ])
    const second = await send(sample(), chosen(), hurried(), { ledger })
    expect(second.map(({ to, sentAt }) => [to, sentAt?.slice(0, 10)])).toEqual([
      ['a@company.example', '2026-11-21'],
      ['B <b@company.example>', '2026-11-21'],
      ['the webhook', '2026-11-21'],
    ])
    expect([mails.mails.length, posts.length]).toEqual([1, 1])
    await send(sample(), chosen(), hurried(), { ledger, again: true })
    expect([mails.mails.length, posts.length]).toEqual([2, 2])
    // Or whoever drops duplicates would drop it.
    expect(new Set(idsOf()).size).toBe(2)
    expect(new Set(posts.map(({ headers }) => headers['idempotency-key'])).size).toBe(2)
  })

  test('for another time, with other parameters, or to another one is another message', async () => {
    const { mails, posts, chosen } = await both()
    const ledger = remembering()
    await send(sample(), chosen(), hurried(), { ledger })
    const later = { ...subject, due: '2026-11-22T06:30:00.000Z' }
    await send(sample(), chosen(), hurried(), { ledger, subject: later })
    await send(sample(), chosen(), hurried(), { ledger, subject: { ...subject, parameters: '{"team":"x"}' } })
    await send(sample({ name: 'daily' }), chosen(), hurried(), { ledger })
    expect([mails.mails.length, posts.length]).toEqual([4, 4])
    await send(sample(), chosen(['a@company.example', 'new@company.example']), hurried(), { ledger })
    expect(mails.mails.at(-1)?.to).toEqual(['new@company.example'])
    expect(posts).toHaveLength(4)
    // Addresses may be secrets.
    expect(JSON.stringify([...ledger.keys])).not.toMatch(/company|127\./)
  })

  test('and could not be noted is sent again with the same id', async () => {
    const { mails, posts, chosen, idsOf } = await both()
    const effects = hurried()
    const broken = { sent: async () => new Map(), note: () => Promise.reject(new Error('disk full')) }
    for (let turn = 0; turn < 2; turn++) await send(sample(), chosen(), effects, { ledger: broken })
    expect([mails.mails.length, posts.length]).toEqual([2, 2])
    expect(new Set(idsOf()).size).toBe(1)
    expect(new Set(posts.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(JSON.stringify(effects.lines)).toContain('disk full')
  })

  test('to some of the recipients is not sent to those again; one that is busy is asked again', async () => {
    let turn = 0
    const { mails, chosen, idsOf } = await both((command) =>
      /RCPT.*b@/.test(command) && turn++ < 1 ? '450 greylisted' : undefined,
    )
    const done = await send(sample(), chosen())
    expect(done.map(({ error }) => error)).toEqual([null, null])
    expect(mails.mails.map(({ to }) => to)).toEqual([['a@company.example'], ['b@company.example']])
    expect(new Set(idsOf()).size).toBe(1)
  })

  test('goes out although what was sent before cannot be read', async () => {
    const { posts, chosen } = await both()
    const effects = hurried()
    const blind = { ...remembering(), sent: () => Promise.reject(new Error('no ledger')) }
    await send(sample(), chosen(), effects, { ledger: blind })
    expect(posts).toHaveLength(1)
    expect(JSON.stringify(effects.lines)).toContain('no ledger')
  })
})

describe('a way that fails', () => {
  test('that is transient is retried, with the same mail and the same message', async () => {
    const mails = await smtp((command, count) =>
      command === '.' && count === 1 && tries++ < 2 ? '451 busy' : undefined,
    )
    let tries = 0
    const { url, posts } = await http((response, count) => response.writeHead(count < 4 ? 503 : 204).end())
    const effects = hurried()
    const done = await send(
      sample(),
      targets({
        mail: mailTo(mails.port, () => ['a@company.example']),
        webhook: { url: new URL(url), secret: undefined, style: 'json', picture: false, wants: () => true },
      }),
      effects,
    )
    expect(done.map(({ error }) => error)).toEqual([null, null])
    expect(mails.mails).toHaveLength(1)
    expect(posts).toHaveLength(4)
    expect(new Set(posts.map(({ headers }) => headers['x-faultline-delivery'])).size).toBe(1)
    expect(effects.waits.sort((a, b) => a - b)).toEqual([2_000, 2_000, 10_000, 10_000, 60_000])
  })

  test('that is permanent is not retried, is reported, and does not stop the others', async () => {
    const mails = await smtp()
    const { url, posts } = await http((response) => response.writeHead(500).end())
    writeFileSync(join(out, 'history'), 'in the way')
    const done = await send(
      sample(),
      targets({
        folder: true,
        mail: mailTo(mails.port, () => ['a@company.example']),
        webhook: { url: new URL(url), secret: 's3cret', style: 'json', picture: false, wants: () => true },
      }),
    )
    expect(done.map(({ channel, error }) => [channel, error?.message])).toEqual([
      ['folder', expect.stringContaining(out)],
      ['mail', undefined],
      ['webhook', 'The webhook answered with HTTP 500.'],
    ])
    expect(mails.mails).toHaveLength(1)
    expect(posts).toHaveLength(4)
  })

  test('that cannot be mended by waiting is not tried again', async () => {
    const { url, posts } = await http((response) => response.writeHead(404).end())
    await send(
      sample(),
      targets({
        webhook: { url: new URL(url), secret: undefined, style: 'json', picture: false, wants: () => true },
      }),
    )
    expect(posts).toHaveLength(1)
  })

  test('ends at once when the process is stopped', async () => {
    const { url, posts } = await http((response) => response.writeHead(503).end())
    const stopping = new AbortController()
    const time = virtualTime(0)
    const going = deliver(sample(), {
      out,
      targets: targets({
        webhook: { url: new URL(url), secret: undefined, style: 'json', picture: false, wants: () => true },
      }),
      effects: time,
      signal: stopping.signal,
      subject,
      ledger: remembering(),
    })
    const watch = setInterval(() => {
      if (time.lines.length > 0) stopping.abort(new Error('stopped by SIGTERM'))
    }, 5)
    await expect(going).rejects.toThrow('stopped by SIGTERM')
    clearInterval(watch)
    expect(posts).toHaveLength(1)
  })

  test('the last good page stays', async () => {
    const chosen = targets({ folder: true })
    await send(sample(), chosen)
    const path = join(out, 'history/weekly/2026-08-17..2026-11-16.html')
    const before = readFileSync(path, 'utf8')
    rmSync(join(out, 'index.html'))
    // The name under which the next page would be written first is taken by a folder.
    const { mkdirSync } = await import('node:fs')
    mkdirSync(`${path}.${process.pid}.part`)
    const [done] = await send(sample({ title: 'Another' }), chosen).catch((error: unknown) => [{ error }])
    expect(done?.error).toBeTruthy()
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(existsSync(join(out, 'index.html'))).toBe(false)
  })
})

test('a message that was handed over when the process is told to stop is noted when it is answered', async () => {
  const stopping = new AbortController()
  const hook = await http((response) => {
    stopping.abort(new Error('stopped by SIGTERM'))
    setTimeout(() => response.writeHead(204).end(), 100)
  })
  const webhook: Targets['webhook'] = {
    url: new URL(hook.url),
    secret: undefined,
    style: 'json',
    picture: false,
    wants: () => true,
  }
  const memory = remembering()
  const more = { signal: stopping.signal, ledger: memory, subject }
  const [delivered] = await send(sample(), targets({ webhook }), hurried(), more)
  expect(delivered).toMatchObject({ channel: 'webhook', error: null })
  await send(sample(), targets({ webhook }), hurried(), { ledger: memory, subject })
  expect(hook.posts).toHaveLength(1)
})
