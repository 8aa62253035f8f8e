import { describe, expect, test } from 'vitest'
import type { smtpServer } from '../support/mail-server.ts'
import { sample } from '../support/report-result.ts'
import { deliveringOfTests, hookTo, hurried, mailTo, remembering, subject, targets } from './delivering.ts'

const to = deliveringOfTests()

describe('a sent report', () => {
  const both = async (answer?: Parameters<typeof smtpServer>[0]) => {
    const mails = await to.smtp(answer)
    const { url, posts } = await to.http()
    const everybody = ['a@company.example', 'B <b@company.example>']
    const chosen = (recipients = everybody) =>
      targets({ mail: mailTo(mails.port, () => recipients), webhook: hookTo(url) })
    const idsOf = () => mails.mails.map(({ raw }) => /^Message-ID: <(.*?)@/m.exec(raw)?.[1])
    return { mails, posts, chosen, idsOf }
  }

  test('is not sent again unless explicitly requested', async () => {
    const { mails, posts, chosen, idsOf } = await both()
    const ledger = remembering()
    const first = await to.send(sample(), chosen(), hurried(), { ledger })
    expect(first.map(({ channel, error, sentAt }) => [channel, error, sentAt])).toEqual([
      ['mail', null, null],
      ['webhook', null, null],
    ])
    const second = await to.send(sample(), chosen(), hurried(), { ledger })
    expect(second.map(({ to, sentAt }) => [to, sentAt?.slice(0, 10)])).toEqual([
      ['a@company.example', '2026-11-21'],
      ['B <b@company.example>', '2026-11-21'],
      ['the webhook', '2026-11-21'],
    ])
    expect([mails.mails.length, posts.length]).toEqual([1, 1])
    await to.send(sample(), chosen(), hurried(), { ledger, again: true })
    expect([mails.mails.length, posts.length]).toEqual([2, 2])
    // The message needs a new id. Otherwise a receiver that drops duplicates would drop the message.
    expect(new Set(idsOf()).size).toBe(2)
    expect(new Set(posts.map(({ headers }) => headers['idempotency-key'])).size).toBe(2)
  })

  test('counts as a new message if the time, the parameters or the recipient differ', async () => {
    const { mails, posts, chosen } = await both()
    const ledger = remembering()
    await to.send(sample(), chosen(), hurried(), { ledger })
    const later = { ...subject, period: '2026-08-24..2026-11-23', due: '2026-11-22T06:30:00.000Z' }
    await to.send(sample(), chosen(), hurried(), { ledger, subject: later })
    await to.send(sample(), chosen(), hurried(), {
      ledger,
      subject: { ...subject, parameters: '{"team":"x"}' },
    })
    await to.send(sample({ name: 'daily' }), chosen(), hurried(), { ledger })
    expect([mails.mails.length, posts.length]).toEqual([4, 4])
    await to.send(sample(), chosen(['a@company.example', 'new@company.example']), hurried(), { ledger })
    expect(mails.mails.at(-1)?.to).toEqual(['new@company.example'])
    expect(posts).toHaveLength(4)
    // Addresses may be secrets.
    expect(JSON.stringify([...ledger.keys])).not.toMatch(/company|127\./)
  })

  test('is sent again with the same id if the first delivery could not be recorded', async () => {
    const { mails, posts, chosen, idsOf } = await both()
    const effects = hurried()
    const broken = { sent: async () => new Map(), note: () => Promise.reject(new Error('disk full')) }
    for (let turn = 0; turn < 2; turn++) await to.send(sample(), chosen(), effects, { ledger: broken })
    expect([mails.mails.length, posts.length]).toEqual([2, 2])
    expect(new Set(idsOf()).size).toBe(1)
    expect(new Set(posts.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(JSON.stringify(effects.lines)).toContain('disk full')
  })

  test('is sent again only to recipients whose mailbox was busy', async () => {
    let turn = 0
    const { mails, chosen, idsOf } = await both((command) =>
      /RCPT.*b@/.test(command) && turn++ < 1 ? '450 greylisted' : undefined,
    )
    const done = await to.send(sample(), chosen())
    expect(done.map(({ error }) => error)).toEqual([null, null])
    expect(mails.mails.map(({ to }) => to)).toEqual([['a@company.example'], ['b@company.example']])
    expect(new Set(idsOf()).size).toBe(1)
  })

  test('is posted even if the record of sent messages cannot be read', async () => {
    const { posts, chosen } = await both()
    const effects = hurried()
    const blind = { ...remembering(), sent: () => Promise.reject(new Error('no ledger')) }
    await to.send(sample(), chosen(), effects, { ledger: blind })
    expect(posts).toHaveLength(1)
    expect(JSON.stringify(effects.lines)).toContain('no ledger')
  })
})

test('a message in transit when the process stops is still recorded as sent', async () => {
  const stopping = new AbortController()
  const hook = await to.http((response) => {
    stopping.abort(new Error('stopped by SIGTERM'))
    setTimeout(() => response.writeHead(204).end(), 100)
  })
  const webhook = hookTo(hook.url)
  const memory = remembering()
  const more = { signal: stopping.signal, ledger: memory, subject }
  const [delivered] = await to.send(sample(), targets({ webhook }), hurried(), more)
  expect(delivered).toMatchObject({ channel: 'webhook', error: null })
  await to.send(sample(), targets({ webhook }), hurried(), { ledger: memory, subject })
  expect(hook.posts).toHaveLength(1)
})

test('an incomplete report is marked in the subject and sent again when the data is complete', async () => {
  const mails = await to.smtp()
  const chosen = targets({ mail: mailTo(mails.port) })
  const ledger = remembering()
  for (const state of [
    { subject: { ...subject, isComplete: false } },
    { subject, completes: true },
    { subject, completes: true },
  ])
    await to.send(sample({ subject: { name: 'Weekly', phrases: ['half'] } }), chosen, hurried(), {
      ledger,
      ...state,
    })
  const subjects = mails.mails.map(({ raw }) => /^Subject: (.*(?:\r?\n[ \t].*)*)/m.exec(raw)![1]!)
  expect(subjects).toEqual(['Weekly (incomplete): half', 'Complete: Weekly: half'])
})
