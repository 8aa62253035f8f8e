import { expect, test } from 'vitest'
import type { FindingsBlock, ReportResult } from '../../src/render/result.ts'
import { summaryOf, verdictOf, words } from '../../src/render/summary.ts'
import { toMail } from '../../src/render/to-mail.ts'
import { card, hostile, sample } from '../support/report-result.ts'

const control = /[\p{Cs}\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u

const named = (name: string, phrases: readonly string[], changes: Partial<ReportResult> = {}) =>
  toMail(sample({ subject: { name, phrases }, ...changes }), null).subject

test('the mail subject uses the longest phrase of the finding that fits 60 characters', () => {
  const phrases = [
    'incidents from Logistics (production) rose from 41 to 110',
    '110 from Logistics (production)',
    '110 incidents from one channel',
  ]
  expect(named('Review', ['one alert is 71 of 89 at Logistics (production)'])).toBe(
    'Review: one alert is 71 of 89 at Logistics (production)',
  )
  expect(named('Review', phrases)).toBe('Review: 110 from Logistics (production)')
  expect(named('Acknowledge and resolve', phrases)).toBe(
    'Acknowledge and resolve: 110 from Logistics (production)',
  )
  expect(named('Times until the first answer', phrases)).toBe(
    'Times until the first answer: 110 incidents from one channel',
  )
})

test('the mail subject of a team’s report begins with the team’s name if there is room', () => {
  const of = (teams: string) =>
    named('Review', ['205 incidents, previous 211', '205 incidents'], { frame: { ...sample().frame, teams } })
  expect(of('Core')).toBe('Core, Review: 205 incidents, previous 211')
  expect(of('Payments platform reliability and operations of Europe')).toBe(
    'Review: 205 incidents, previous 211',
  )
})

test('a hostile report title cannot add a mail header or split a character in the subject', () => {
  const { subject } = toMail(sample(), null)
  expect(subject).not.toMatch(control)
  expect(Array.from(subject).length).toBeLessThanOrEqual(60)
  expect(named('😀'.repeat(300), ['half'])).toBe('Report')
  expect(named('Incident review of the platform teams in Europe and in the two Americas', ['half'])).toBe(
    'Incident review of the platform teams in Europe and in the',
  )
})

test('the mail subject says “check failed” if a gate failed, and “incomplete” if only coverage is too low', () => {
  const gate = { name: 'a', origin: 'report', state: 'error', message: 'too many' } as const
  const coverage = { ...gate, name: 'coverage', origin: 'data quality' } as const
  const subject = (...gates: (typeof gate | typeof coverage)[]) =>
    named('Review', ['205 incidents'], { gates })
  expect(subject(gate, coverage)).toBe('Review (check failed): 205 incidents')
  expect(subject(coverage)).toBe('Review (incomplete): 205 incidents')
  const scheduled = named('Review (incomplete)', ['205 incidents'], { gates: [coverage] })
  expect(scheduled).toBe('Review (incomplete): 205 incidents')
  const phrases = ['110 incidents from one channel']
  expect(named('Times until the first answer', phrases, { gates: [gate] })).toBe(
    'Times until the first answer: 110 incidents from one channel',
  )
})

test('the mail for a period without incidents says so and counts older open incidents', () => {
  const stillOpen = { all: 5, critical: 4, since: 0, later: 0, came: 0 }
  const { html, text } = toMail(sample({ empty: true, verdict: 'Half of nothing.', stillOpen }), null)
  for (const said of [html, text]) {
    expect(said).toContain('No new incidents in this period. 5 older incidents are still open (4 Critical).')
    expect(said).not.toContain('Half of nothing')
  }
})

test('the summary of an empty period distinguishes no incidents from no data', () => {
  const none = { all: 0, critical: 0, since: 0, later: 0, came: 0 }
  const verdict = (share: number | null, open = {}) =>
    verdictOf(sample({ empty: true, stillOpen: { ...none, ...open }, coverage: { share, gaps: [] } }))
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

test('a mail lists severities only if the report is filtered by severity', () => {
  const facts = (severities: string) => {
    const { frame } = sample()
    return toMail(sample({ frame: { ...frame, teams: 'core', severities } }), null).html
  }
  expect(facts('Critical, Warning')).toContain(' · core · Critical, Warning · ')
  expect(facts('All severities')).not.toContain('All severities')
})

const said = (text: string) => [{ kind: 'text', text }] as const
const lead: FindingsBlock = {
  kind: 'findings',
  opening: [],
  lines: [{ text: said('One alert is 71 of 89.'), section: null }],
  also: [],
  rest: [],
  urgent: [],
  open: [
    ...said('Unacknowledged: '),
    { kind: 'link', href: 'https://service.example/incident/1', content: said(`Disk full ${hostile}`) },
  ],
  next: said('fix it.'),
}

test('the mail body shows finding, next steps, four cards and open incidents, in this order', () => {
  const kpis = Array.from({ length: 6 }, (_, at) => ({ ...card, label: `Figure ${at + 1}` }))
  const link = 'https://reports.example/history/weekly/x.html'
  const { blocks } = sample()
  const { html, text } = toMail(sample({ kpis, blocks: [lead, ...blocks], gates: [], warnings: [] }), link)
  const shown = words(
    html
      .slice(html.indexOf('<main'))
      .replace(/<[^>]+>/g, '\n')
      .replace(/\n+/g, '\n'),
  )
  const parts = [
    '17 Aug – 15 Nov 2026 (13 weeks) · Europe/Berlin · data as of 21 Nov 03:12',
    'One alert is 71 of 89.',
    'Next steps:',
    'fix it.',
    'Figure 1',
    '5 h 47 min · ▼ 12% faster, better · ✓ Objective: under 8 h',
    'Figure 4',
    'Now:',
    'Unacknowledged: ',
    'Disk full',
  ]
  for (const said of [shown, text]) {
    const places = parts.map((part) => said.indexOf(part))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(said).not.toMatch(/Figure 5|2,739|By severity|n = |95%\sCI/)
  }
  expect(html.match(/href="[^"]*"/g)).toEqual(['href="https://service.example/incident/1"', `href="${link}"`])
  expect(text).toContain(link)
  // One and a half screens of a phone have about 1,500 characters.
  expect(text.length).toBeLessThan(1_500)
})

test('the HTML mail body escapes data, and sets a background wherever it sets the text color', () => {
  const { html, text, subject } = toMail(sample({ blocks: [lead] }), null)
  const tags = [...html.matchAll(/<([a-z0-9]+)/gi)].map(([, tag]) => tag!)
  expect(new Set(tags)).toEqual(new Set('html head meta title body main h1 p b table tr th td a'.split(' ')))
  expect(html).toContain('<title>')
  expect(subject).not.toBe('')
  expect(html).toContain('<meta name="color-scheme" content="light"/>')
  // A color without a background is unreadable if a mail program darkens only the background.
  for (const [, style] of html.matchAll(/style="([^"]*)"/g))
    if (/(^|;)color:#16181d/.test(style!)) expect(style).toMatch(/background:#ffffff/)
  expect(html).toMatch(
    /<body style="[^"]*background:#ffffff;color:#16181d"><main style="[^"]*background:#ffffff/,
  )
  expect(html).not.toMatch(/<[^>]*(\son\w+=|\ssrc=|javascript:|url\()/i)
  expect(html).toContain('&lt;script&gt;')
  expect(html.replaceAll('\n', '')).not.toMatch(control)
  expect(text.replaceAll('\n', '')).not.toMatch(control)
})

test('the JSON summary of a report contains no control characters', () => {
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
