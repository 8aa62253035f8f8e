import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findChromium } from '../../src/config/chromium.ts'
import { prune } from '../../src/site/prune.ts'
import { sample } from '../support/report-result.ts'
import { deliveringOfTests, hookTo, hurried, mailTo, targets } from './delivering.ts'

const to = deliveringOfTests()

/** Decodes the folded subject of a mail with encoded words (RFC 2047). */
function subjectOf(raw: string): string {
  const [, folded = ''] = /^Subject: (.*(?:\r?\n[ \t].*)*)/m.exec(raw) ?? []
  return folded
    .replace(/\r?\n(?=[ \t])/g, '')
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?Q\?(.*?)\?=/gi, (_, word: string) =>
      decodeURIComponent(
        word
          .replaceAll('_', ' ')
          .replaceAll('%', '%25')
          .replace(/=([0-9A-F]{2})/g, '%$1'),
      ),
    )
    .replaceAll('\u00a0', ' ')
}

describe('a delivered report', () => {
  test('is written to the folder, mailed and posted to the webhook', async () => {
    const mails = await to.smtp()
    const { url, posts } = await to.http()
    const done = await to.send(
      sample(),
      targets({
        folder: true,
        link: 'https://reports.example/faultline/',
        mail: mailTo(mails.port),
        webhook: hookTo(url, { secret: 'k' }),
      }),
    )
    expect(done.map(({ channel, error }) => [channel, error])).toEqual([
      ['folder', null],
      ['mail', null],
      ['webhook', null],
    ])
    const path = 'history/weekly/2026-08-17..2026-11-16.html'
    const page = readFileSync(join(to.out, path), 'utf8')
    expect(page).toContain('<svg')
    const raw = mails.mails[0]!.raw
    expect(raw).toMatch(/filename=weekly-2026-08-17\.\.2026-11-16\.html/)
    const attached = raw.slice(raw.indexOf('filename=weekly')).split('\r\n\r\n')[1]!.split('\r\n--')[0]!
    const [nav = ''] = /<nav class="site".*?<\/nav>/s.exec(page) ?? []
    expect(nav).toContain('href="../../index.html"')
    expect(Buffer.from(attached, 'base64').toString()).toBe(page.replace(nav, ''))
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
    // A failed sync makes the data of this report one day old.
    ['2026-11-22T01:40:00Z', ' (data from Saturday)'],
    ['2026-12-01T06:30:00Z', ' (data from 21 Nov 2026)'],
  ])('states the date of stale data in the subject (delivered at %s)', async (now, said) => {
    const mails = await to.smtp()
    const { url, posts } = await to.http()
    const chosen = targets({
      folder: true,
      mail: mailTo(mails.port),
      webhook: hookTo(url, { style: 'slack' }),
    })
    await to.send(sample({ title: 'Weekly', subject: { name: 'Weekly', phrases: ['half'] } }), chosen, {
      ...hurried(),
      now: () => Date.parse(now),
    })
    expect(subjectOf(mails.mails[0]!.raw)).toBe(`Weekly${said}: half`)
    expect(JSON.parse(posts[0]!.body).blocks[0].text.text).toBe(`Weekly${said}: half`)
    // The page shows the time of its data and is not changed later.
    expect(readFileSync(join(to.out, 'history/weekly/2026-08-17..2026-11-16.html'), 'utf8')).toContain(
      '<title>Weekly',
    )
  })

  test.skipIf(findChromium() === null)(
    'includes a picture of the top of the page if configured',
    async () => {
      const mails = await to.smtp()
      const { url, posts } = await to.http()
      const done = await to.send(
        sample(),
        targets({
          folder: true,
          link: 'https://reports.example',
          mail: { ...mailTo(mails.port), picture: true },
          webhook: hookTo(url, { style: 'slack', picture: true }),
        }),
      )
      expect(done.map(({ error }) => error)).toEqual([null, null, null])
      const path = 'history/weekly/2026-08-17..2026-11-16.png'
      const picture = readFileSync(join(to.out, path))
      expect([picture.readUInt32BE(16), picture.subarray(1, 4).toString()]).toEqual([1_200, 'PNG'])
      const raw = mails.mails[0]!.raw
      expect(raw).toMatch(/Content-Id: <head@faultline>/i)
      expect(raw.replace(/=\r\n/g, '')).toContain('src=3D"cid:head@faultline"')
      expect(posts[0]!.body).toContain(`"image_url":"https://reports.example/${path}"`)
      expect(prune(to.out, { runs: 1 }, Date.parse('2026-11-21T06:30:00Z'))).toEqual([])
    },
  )

  test('is sent without a picture if no browser is installed', async () => {
    const mails = await to.smtp()
    const effects = hurried()
    const chromium = process.env.CHROMIUM
    process.env.CHROMIUM = join(to.out, 'nowhere')
    const mail = { ...mailTo(mails.port), picture: true }
    const done = await to.send(sample(), targets({ mail }), effects).finally(() => {
      if (chromium === undefined) delete process.env.CHROMIUM
      else process.env.CHROMIUM = chromium
    })
    expect(done.map(({ error }) => error)).toEqual([null])
    expect(mails.mails[0]!.raw).not.toContain('head@faultline')
    expect(JSON.stringify(effects.lines)).toContain('PDF files and pictures cannot be created')
  })

  test('is sent only to the channels that subscribed to the report', async () => {
    const mails = await to.smtp()
    const { url, posts } = await to.http()
    const chosen = targets({
      mail: mailTo(mails.port, (report) => (report === 'weekly' ? ['w@company.example'] : [])),
      webhook: hookTo(url, { wants: (report) => report !== 'weekly' }),
    })
    expect((await to.send(sample(), chosen)).map(({ channel }) => channel)).toEqual(['mail'])
    expect((await to.send(sample({ name: 'daily' }), chosen)).map(({ channel }) => channel)).toEqual([
      'webhook',
    ])
    expect(mails.mails.map(({ to }) => to)).toEqual([['w@company.example']])
    expect(posts.map(({ body }) => JSON.parse(body).report)).toEqual(['daily'])
  })
})
