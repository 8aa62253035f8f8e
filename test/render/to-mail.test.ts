import { expect, test } from 'vitest'
import { summaryOf, verdictOf, words } from '../../src/render/summary.ts'
import { toMail } from '../../src/render/to-mail.ts'
import { hostile, sample } from '../support/report-result.ts'

const control = /[\p{Cs}\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u

test('the subject is one line with the title and the first sentence of the verdict', () => {
  const { subject } = toMail(
    sample({
      title: 'Weekly review',
      verdict: 'Half were resolved within 5\u202fh, 3.5 % faster. Nothing unusual.',
    }),
    null,
  )
  expect(subject).toBe('Weekly review, 17 Aug – 15 Nov 2026: Half were resolved within 5 h, 3.5 % faster')
})

test('a hostile title cannot add a header, and is not cut within a character', () => {
  const { subject } = toMail(sample(), null)
  expect(subject).not.toMatch(control)
  expect(Array.from(subject).length).toBeLessThanOrEqual(90)
  const long = toMail(sample({ title: '😀'.repeat(300) }), null).subject
  expect(Array.from(long)).toHaveLength(90)
  expect(long).not.toMatch(/\p{Cs}/u)
})

test('the subject begins with failed conditions, and mentions a period without incidents', () => {
  const gate = { name: 'a', origin: 'report', state: 'error', message: 'too many' } as const
  expect(toMail(sample({ title: 'T', gates: [gate] }), null).subject).toMatch(
    /^\[check failed\] T, 17 Aug – 15 Nov 2026: /,
  )
  expect(toMail(sample({ title: 'T', gates: [gate, gate] }), null).subject).toMatch(
    /^\[2 checks failed\] T, 17 Aug – 15 Nov 2026: /,
  )
  const quiet = { title: 'T', empty: true, verdict: 'Half of nothing.' }
  const empty = toMail(
    sample({ ...quiet, stillOpen: { all: 0, critical: 0, since: 0, later: 0, came: 0 } }),
    null,
  )
  expect(empty.subject).toBe('T, 17 Aug – 15 Nov 2026: No incidents in this period')
  const { subject } = toMail(
    sample({ ...quiet, title: 'Handover', stillOpen: { all: 5, critical: 4, since: 0, later: 0, came: 0 } }),
    null,
  )
  expect(subject).toBe(
    'Handover, 17 Aug – 15 Nov 2026: No new incidents in this period. 5 older incidents are st…',
  )
  expect(empty.html).not.toContain('Half of nothing')
})

test('the verdict states if the period was not read', () => {
  const none = { all: 0, critical: 0, since: 0, later: 0, came: 0 }
  const verdict = (share: number | null, open = {}) =>
    verdictOf(
      sample({ empty: true, stillOpen: { ...none, ...open }, coverage: { share, gaps: [], readAt: null } }),
    )
  expect(verdict(0)).toBe('No data for this period. No incident is open.')
  expect(verdict(0, { all: 5, critical: 1, since: 5 })).toBe(
    'No data for this period. 5 are open now (1 Critical), of which 5 started after the period.',
  )
  expect(words(verdict(0.52))).toBe('No incidents in the 52% of this period with data. No incident is open.')
  expect(verdict(1)).toBe('No incidents in this period. No incident is open.')
  expect(verdict(1, { gap: 'No incident came for 49 days.' })).toBe(
    'No incident came for 49 days. No incident is open.',
  )
})

test('a mail lists the teams, and the severities if the report is filtered by severity', () => {
  const facts = (severities: string) => {
    const { frame } = sample()
    return toMail(sample({ frame: { ...frame, teams: 'core', severities } }), null).html
  }
  expect(facts('Critical, Warning')).toContain(' · core · Critical, Warning · ')
  expect(facts('All severities')).not.toContain('All severities')
})

test('the body uses tables and simple markup, and escapes data', () => {
  const { html, text } = toMail(sample(), 'https://reports.example/history/weekly/x.html')
  const tags = new Set([...html.matchAll(/<([a-z0-9]+)/gi)].map(([, tag]) => tag))
  const known = [
    'html',
    'head',
    'meta',
    'body',
    'div',
    'h1',
    'p',
    'b',
    'table',
    'tr',
    'th',
    'td',
    'a',
    'span',
  ]
  expect([...tags].filter((tag) => !known.includes(tag!))).toEqual([])
  expect(html).not.toMatch(/<[^>]*(\son\w+=|\ssrc=|javascript:|url\()/i)
  expect(html.match(/href="[^"]*"/g)).toEqual([
    'href="https://service.example/incident/1"',
    'href="https://reports.example/history/weekly/x.html"',
  ])
  expect(html).toContain('&lt;script&gt;')
  expect(html.replaceAll('\n', '')).not.toMatch(control)
  expect(text.replaceAll('\n', '')).not.toMatch(control)
  expect(text).toContain('https://reports.example/history/weekly/x.html')
})

test('figures show n, interval, previous value and target, and charts show their values', () => {
  const { html } = toMail(sample(), null)
  const plain = html.replaceAll('\u202f', ' ').replaceAll('\u00a0', ' ')
  expect(plain).toMatch(
    /Time to resolve.*5 h 47 min.*6 h.*▼ 12% faster, better.*5 h – 6 h.*1,430.*under 8 h ✓/,
  )
  expect(plain).toContain('9,007,199,254,740,993')
  expect(plain).toContain('20 of 32 rows.')
})

test('the summary is serializable data without control characters', () => {
  const summary = summaryOf(sample())
  expect(JSON.parse(JSON.stringify(summary))).toEqual(summary)
  expect(summary).toMatchObject({
    report: 'weekly',
    period: {
      from: '2026-08-17',
      to: '2026-11-16',
      label: '17 Aug – 15 Nov 2026',
      timezone: 'Europe/Berlin',
    },
    as_of: '2026-11-21T02:12:00.000Z',
    kpis: [
      {
        label: 'Time to resolve',
        value: '5 h 47 min',
        n: 1430,
        interval: ['5 h', '6 h'],
        change: { direction: 'down', tone: 'better', amount: '12%', verdict: 'faster', previous: '6 h' },
        target: { text: 'under 8 h', met: true },
      },
    ],
    figures: [{ figure: 'summary.ttr', format: 'duration', value: 20_820, n: 1430 }],
    gates: [{ name: 'age', state: 'warn' }],
  })
  expect(JSON.stringify(summary)).not.toContain(JSON.stringify(hostile).slice(1, -1))
  expect(summary.title).not.toMatch(control)
})

test('restated figures are listed with their reasons', () => {
  const restated = {
    asOf: '2026-11-20T03:10:00',
    figures: [
      {
        ...{ label: `MTTR ${hostile}`, before: [{ text: '5' }], now: [{ text: '6' }], nBefore: 1, nNow: 2 },
        reasons: [{ reason: 'with a different start time', incidents: 1, examples: [hostile] }],
      },
    ],
    unchanged: 3,
    reasons: [],
  }
  expect(toMail(sample({ restated }), null).html).toMatch(
    /Changed since the report of 20\u00a0Nov\u00a003:10: MTTR &lt;img.* 5 → 6 \(1 with a different start time: .*\)\./,
  )
})
