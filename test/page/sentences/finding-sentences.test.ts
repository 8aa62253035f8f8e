import { expect, test } from 'vitest'
import { nextText } from '../../../src/page/sentences/finding-actions.ts'
import { sentenceOf, waitingText } from '../../../src/page/sentences/finding-sentences.ts'
import type { SaidFinding } from '../../../src/page/sentences/sentence-parts.ts'
import { inlineText } from '../../../src/render/text.ts'

const OF_A_TEAM: SaidFinding = {
  kind: 'outside',
  topic: 'teams',
  key: 'team 1',
  subject: 'Checkout',
  within: null,
  value: 30,
  before: 12,
  n: 30,
  estimate: 2.5,
  isWorse: true,
  detail: null,
  amount: null,
  part: null,
  isTested: true,
  givesWay: false,
  isStanding: false,
  isApart: true,
  cause: null,
  causeN: null,
  causeSince: null,
  url: null,
  reason: null,
  owner: null,
  card: null,
}
const said = (change: Partial<SaidFinding>) =>
  inlineText(sentenceOf({ ...OF_A_TEAM, ...change }, { timezone: 'UTC', year: '2026' }))

// Without a qualification, a sentence may name one team only if the other teams differ.
test.each([
  [{ kind: 'outside' }, /^Incidents owned by Checkout rose from 12 to 30/],
  // The current period has more days than the previous one.
  [
    { kind: 'outside', value: 13, estimate: 0.9 },
    /^Incidents owned by Checkout went from 12 to 13 \(−10% per day\)/,
  ],
  [{ kind: 'outside', before: 0 }, /^Incidents owned by Checkout: 30, up from none in the previous period/],
  [{ kind: 'month' }, /^Incidents owned by Checkout: 30 in the last four weeks \(usual: 12\)/],
  [{ kind: 'month', before: 0 }, /in the last four weeks \(none in the weeks before\)/],
  [{ kind: 'week' }, /^Incidents owned by Checkout: 30 in the last week \(usual: 12\)/],
  [{ kind: 'week', before: 0 }, /in the last week \(none in the weeks before\)/],
  [
    { kind: 'shift', topic: 'resolve', value: 7200, before: 3600 },
    /^Checkout took 2\.5 times as long to resolve/,
  ],
  [
    { kind: 'shift', topic: 'resolve', value: null, before: 3600 },
    /more than half are not resolved yet; previous median 1/,
  ],
  [
    { kind: 'shift', topic: 'resolve', isWorse: false, value: 3600, before: null },
    /more than half took longer than the observed time/,
  ],
] as const)(
  'the sentence of the finding %o adds that other teams do not differ significantly',
  (change, beginning) => {
    expect(said(change)).toMatch(beginning)
    expect(said(change)).not.toContain('the other teams')
    expect(said({ ...change, isApart: false })).toBe(
      `${said(change).slice(0, -1)}, not significantly different from the other teams.`,
    )
    expect(said({ ...change, isApart: null })).toBe(said(change))
  },
)

test.each([
  [
    { value: 90, before: 120 },
    'Data and Search, new since 24 Aug, account for 90 of 120 additional incidents.',
  ],
  [{ value: 90, before: 80 }, 'Data and Search are new since 24 Aug: 90 incidents.'],
] as const)('a finding names several new teams together, with the counts %o', (counts, sentence) => {
  const found = said({ kind: 'new', subject: 'Data and Search', detail: '2026-08-24', ...counts })
  expect(found.replace(/\u00a0/g, ' ')).toBe(sentence)
})

test('a sentence that ends with a shortened name has no full stop', () => {
  expect(said({ cause: 'disk full on …', causeN: 24 })).toMatch(/ 24 are one alert: disk full on …$/)
})

test('a finding about an increase names the alert behind it', () => {
  const alert = { cause: 'disk full', causeN: 24 }
  expect(said(alert)).toBe('Incidents owned by Checkout rose from 12 to 30; 24 are one alert: disk full.')
  expect(said({ ...alert, kind: 'month' })).toBe(
    '24 of the 30 incidents owned by Checkout in the last four weeks (usual: 12) are one alert: disk full.',
  )
})

test('next steps for one team name the team once, and no step is repeated', () => {
  const slow = { kind: 'apart', topic: 'acknowledge', subject: 'Checkout' }
  const nights = { kind: 'concentrated', topic: 'nights', subject: 'Ada', within: 'Checkout' }
  const rise = { cause: 'disk full', causeN: 24, subject: 'Search' }
  const lead = [slow, rise, nights, { ...rise, subject: 'Payments' }].map((one) => ({ ...OF_A_TEAM, ...one }))
  expect(inlineText(nextText(lead, { timezone: 'UTC', year: '2026' }))).toBe(
    'check who is paged first, and share night pages among more people (Checkout); fix “disk full” (Search).',
  )
})

test('the sentence about an unacknowledged incident cuts a long title between words', () => {
  const waiting = (subject: string, owner: string | null = null, isNamed = true) =>
    inlineText(
      waitingText(
        { ...OF_A_TEAM, kind: 'unattended', subject, owner, within: 'Critical', value: 1, amount: 7_500 },
        { timezone: 'UTC', year: '2026' },
        isNamed,
      ),
    ).replaceAll(/\s/g, ' ')
  expect(waiting('A1 disk full')).toBe(
    'A Critical incident has been unacknowledged for 2 h 5 min: A1 disk full.',
  )
  const long = 'A1 payment-gateway: 21% of requests fail in us-east-1'
  expect(waiting(long)).toMatch(/: A1 payment-gateway: 21% of requests fail in …$/)
  expect(waiting(long, 'Payments')).toMatch(/ fail in … \(Payments\)\.$/)
  expect(waiting(long, 'Payments', false)).toMatch(/ for 2 h 5 min \(Payments\)\.$/)
})
