import { expect, test } from 'vitest'
import { inlineText } from '../../../src/render/text.ts'
import { type Finding, sentenceOf } from '../../../src/report/resolve/finding-words.ts'

const OF_A_TEAM: Finding = {
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
  isTested: true,
  givesWay: false,
  isDefault: false,
  isStanding: false,
  isApart: true,
  url: null,
  card: null,
}
const said = (change: Partial<Finding>) =>
  inlineText(sentenceOf({ ...OF_A_TEAM, ...change }, { timezone: 'UTC', year: '2026' }))

// A sentence for any weeks may name one team only if the others differ.
test.each([
  [{ kind: 'outside' }, /^Incidents of Checkout rose to 2\.5 times as many, from 12 to 30/],
  // October has one more day than September.
  [
    { kind: 'outside', value: 108, before: 41 },
    /^Incidents of Checkout rose to 2\.5 times the daily rate, from 41 to 108/,
  ],
  [
    { kind: 'outside', value: 62, before: 30, estimate: 2 },
    /^Incidents of Checkout doubled per day, from 30 to 62/,
  ],
  [{ kind: 'outside', before: 0 }, /^Incidents of Checkout came to 30; there were none before/],
  [{ kind: 'month' }, /^Incidents of Checkout came to 30 in the last four weeks; 12 in as many is usual/],
  [{ kind: 'month', before: 0 }, /in the last four weeks; there were none in the weeks before/],
  [{ kind: 'week' }, /^Incidents of Checkout came to 30 in the last week; 12 a week is usual/],
  [{ kind: 'week', before: 0 }, /in the last week; there were none in the weeks before/],
  [
    { kind: 'shift', topic: 'resolve', value: 7200, before: 3600 },
    /^Checkout took 2\.5 times as long to resolve/,
  ],
  [
    { kind: 'shift', topic: 'resolve', value: null, before: 3600 },
    /half are not done yet; before, half were within/,
  ],
  [
    { kind: 'shift', topic: 'resolve', isWorse: false, value: 3600, before: null },
    /took longer than was watched/,
  ],
] as const)('the finding %o adds that the others do not differ', (change, beginning) => {
  expect(said(change)).toMatch(beginning)
  expect(said(change)).not.toContain('the others')
  expect(said({ ...change, isApart: false })).toBe(
    `${said(change).slice(0, -1)}; the others do not clearly differ.`,
  )
  expect(said({ ...change, isApart: null })).toBe(said(change))
})
