import { getEventListeners } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { deliver } from '../../src/delivery/deliver.ts'
import { virtualTime } from '../support/clock.ts'
import { sample } from '../support/report-result.ts'
import { deliveringOfTests, hookTo, hurried, mailTo, remembering, subject, targets } from './delivering.ts'

const to = deliveringOfTests()

describe('a failing delivery channel', () => {
  test('is retried with the same message id after a transient failure', async () => {
    const mails = await to.smtp((command, count) =>
      command === '.' && count === 1 && tries++ < 2 ? '451 busy' : undefined,
    )
    let tries = 0
    const { url, posts } = await to.http((response, count) => response.writeHead(count < 4 ? 503 : 204).end())
    const effects = hurried()
    const done = await to.send(sample(), targets({ mail: mailTo(mails.port), webhook: hookTo(url) }), effects)
    expect(done.map(({ error }) => error)).toEqual([null, null])
    expect(mails.mails).toHaveLength(1)
    expect(posts).toHaveLength(4)
    expect(new Set(posts.map(({ headers }) => headers['x-faultline-delivery'])).size).toBe(1)
    expect(effects.waits.sort((a, b) => a - b)).toEqual([2_000, 2_000, 10_000, 10_000, 60_000])
  })

  test('is reported without stopping the other channels', async () => {
    const mails = await to.smtp()
    const { url, posts } = await to.http((response) => response.writeHead(500).end())
    writeFileSync(join(to.out, 'history'), 'in the way')
    const done = await to.send(
      sample(),
      targets({ folder: true, mail: mailTo(mails.port), webhook: hookTo(url, { secret: 's3cret' }) }),
    )
    expect(done.map(({ channel, error }) => [channel, error?.message])).toEqual([
      ['folder', expect.stringContaining(to.out)],
      ['mail', undefined],
      ['webhook', 'The webhook responded with HTTP 500.'],
    ])
    expect(mails.mails).toHaveLength(1)
    expect(posts).toHaveLength(4)
  })

  test('ends immediately when the process is stopped', async () => {
    const { url, posts } = await to.http((response) => response.writeHead(503).end())
    const stopping = new AbortController()
    const time = virtualTime(0)
    const going = deliver(sample(), {
      out: to.out,
      targets: targets({ webhook: hookTo(url) }),
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

  test('does not replace the last good page in the folder', async () => {
    const chosen = targets({ folder: true })
    await to.send(sample(), chosen)
    const path = join(to.out, 'history/weekly/2026-08-17..2026-11-16.html')
    const before = readFileSync(path, 'utf8')
    rmSync(join(to.out, 'index.html'))
    // A folder has the name of the temporary file.
    mkdirSync(`${path}.${process.pid}.part`)
    const [done] = await to.send(sample({ title: 'Another' }), chosen).catch((error: unknown) => [{ error }])
    expect(done?.error).toBeTruthy()
    expect(readFileSync(path, 'utf8')).toBe(before)
    expect(existsSync(join(to.out, 'index.html'))).toBe(false)
  })
})

test('simultaneous deliveries of twelve reports leave no listeners on the abort signal', async () => {
  const warnings: Error[] = []
  const heard = (warning: Error) => warnings.push(warning)
  process.on('warning', heard)
  onTestFinished(() => void process.off('warning', heard))
  const mails = await to.smtp()
  const { url, posts } = await to.http((response, count) => response.writeHead(count > 12 ? 204 : 503).end())
  const { signal } = new AbortController()
  const reports = Array.from({ length: 12 }, (_, index) => sample({ name: `report-${index}` }))
  const chosen = targets({ mail: mailTo(mails.port), webhook: hookTo(url) })
  await Promise.all(reports.map((report) => to.send(report, chosen, hurried(), { signal })))
  // Node emits a warning in a later turn than its cause.
  await setImmediate()
  expect(posts.length).toBeGreaterThan(12)
  expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([])
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
