import { expect, test } from 'vitest'
import type { SaidFinding } from '../../../src/page/sentences/sentence-parts.ts'
import { findingPhrases } from '../../../src/page/sentences/subject-sentences.ts'
import type { KpiCard } from '../../../src/render/result.ts'
import { card } from '../../support/report-result.ts'

const OF_A_CHANNEL: SaidFinding = {
  kind: 'outside',
  topic: 'sources',
  key: 'channel',
  subject: 'Logistics',
  within: null,
  value: 110,
  before: 41,
  n: 110,
  estimate: 2.6,
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
const nights: KpiCard = {
  ...card,
  label: 'Pages at night',
  value: [{ text: '205' }],
  change: { ...card.change!, direction: 'down', previous: [{ text: '476' }] },
}
const phrasesOf = (change: Partial<SaidFinding>) =>
  findingPhrases({ ...OF_A_CHANNEL, ...change }, { timezone: 'UTC', year: '2026' }).map((text) =>
    text.replace(/[\u00a0\u202f]/g, ' '),
  )

const cases: readonly (readonly [Partial<SaidFinding>, string])[] = [
  [{}, 'Logistics rose from 41 to 110 incidents | 110 from Logistics | 110 incidents from one channel'],
  [
    { topic: 'severities', subject: 'Critical', value: 9, before: 0 },
    'Critical incidents rose from none to 9 | 9 Critical incidents | 9 incidents of one severity',
  ],
  [
    { kind: 'month', value: 89, before: 40 },
    '89 from Logistics in four weeks, usual 40 | 89 from Logistics in four weeks | 89 incidents from one channel in four weeks',
  ],
  [
    { kind: 'week', detail: '2026-10-09', value: 1, before: 0 },
    '1 from Logistics last week, new since 9 Oct | 1 from Logistics last week | 1 incident from one channel last week',
  ],
  [
    {
      kind: 'unattended',
      subject: 'INC-1 Disk full',
      detail: 'Ada',
      within: 'Critical',
      value: 1,
      amount: 7_500,
    },
    '1 Critical unacknowledged for 2 h 5 min | 1 Critical unacknowledged',
  ],
  [
    {
      kind: 'unattended',
      subject: 'INC-1 Disk full',
      detail: 'Ada',
      within: 'Critical',
      value: 3,
      amount: 7_500,
    },
    '3 high-severity incidents unacknowledged past target | 3 unacknowledged past target',
  ],
  [
    { kind: 'ageing', value: 17, before: 28 },
    '17 of 28 open incidents older than a week | 17 incidents open for over a week',
  ],
  [
    { kind: 'goal', subject: 'Critical', within: 'acknowledge', value: 0.72, before: 0.9, isTested: false },
    '72% of Critical acknowledged in time, objective 90% | 72% of Critical acknowledged in time | objective missed',
  ],
  [
    { kind: 'goal', subject: 'Checkout', within: 'resolve', value: 0.72, before: 0.9 },
    'Checkout resolved 72% in time, objective 90% | Checkout resolved 72% in time | objective missed',
  ],
  [
    { kind: 'data', topic: 'counts', subject: '2026-10-09', value: 50, before: 28 },
    'no incidents since 9 Oct (usual 28 per week) | no incidents since 9 Oct | no incidents for 50 days',
  ],
  [
    { kind: 'burst', within: 'day', detail: '2026-10-09', value: 300, before: 40 },
    '300 incidents on 9 Oct (usual 40 per week) | 300 incidents on 9 Oct | spike of 300 incidents',
  ],
  [
    { kind: 'concentrated', subject: 'Ada', within: 'Checkout', value: 48, before: 139 },
    'one person in Checkout got 48 of 139 night pages | one person got 48 of 139 night pages | 48 night pages for one person',
  ],
  [
    { kind: 'most', topic: 'resolve', subject: null, value: 8, before: 12 },
    '8 of 12 teams took longer to resolve | 8 teams slower to resolve',
  ],
  [
    { kind: 'trend', topic: 'counts', subject: 'Critical', estimate: 1.12 },
    'Critical incidents rising by 12% every four weeks | Critical incidents rising | incidents rising',
  ],
  [
    { kind: 'shift', topic: 'acknowledge', subject: 'Checkout', value: 2_520, before: 720 },
    'Checkout acknowledges in 42 min, previous 12 min | Checkout acknowledges in 42 min | one team slower to acknowledge',
  ],
  [
    { kind: 'shift', topic: 'resolve', subject: 'Checkout', value: null, before: 720 },
    'Checkout slower to resolve | one team slower to resolve',
  ],
  [
    { kind: 'data', topic: 'machine', subject: 'acknowledge', value: 40, before: 44 },
    '40 of 44 acknowledged by automation',
  ],
  [{ kind: 'data', topic: 'unused', subject: null, value: 0, before: 44 }, 'nothing was ever acknowledged'],
  [
    { kind: 'gap', subject: 'Checkout', within: '2026-10-09', value: 12, before: 3 },
    'no Checkout incidents since 9 Oct | no incidents from one part for 12 days',
  ],
  [
    { kind: 'renamed', topic: 'severities', subject: 'Critical', within: '2026-10-09' },
    'nothing is Critical since 9 Oct | a severity was renamed',
  ],
  [
    { kind: 'dominant', topic: 'families', subject: 'disk full', value: 71, before: 89 },
    'one alert is 71 of 89 incidents',
  ],
  [
    { kind: 'dominant', topic: 'teams', subject: 'Checkout', value: 71, before: 89 },
    '71 of 89 incidents from Checkout | 71 of 89 incidents from one team',
  ],
  [
    { kind: 'dominant', subject: 'alerts-prod', value: 71, before: 89 },
    '71 of 89 incidents from alerts-prod | 71 of 89 incidents from one channel',
  ],
  [
    { kind: 'in_time', topic: 'acknowledge', subject: 'Checkout', value: 0.4, before: 0.9 },
    'Checkout acknowledged 40% in time, previous 90% | Checkout acknowledged 40% in time | one team acknowledges later',
  ],
  [
    { kind: 'behind', topic: 'acknowledge', subject: 'Checkout', value: 0.4, before: 0.9 },
    'Checkout acknowledges 40% in time, others 90% | Checkout acknowledges 40% in time | one team acknowledges late',
  ],
  [
    { kind: 'behind', topic: 'acknowledge', subject: 'Checkout', value: 0.4, before: 0.9, detail: 'any' },
    'Checkout acknowledges 40%, others 90% | Checkout acknowledges 40% | one team acknowledges less',
  ],
  [
    { kind: 'mix', topic: 'severities', subject: 'Warning', value: 0.44, before: 0.2 },
    'Warning rose from 20% to 44% of incidents | the severity mix changed',
  ],
  [
    { kind: 'unreviewed', topic: 'post_mortems', value: 84, before: 155 },
    '84 of 155 Critical without post-mortem',
  ],
  [{ kind: 'new', topic: 'teams', value: 90 }, '90 incidents from new teams'],
  [{ kind: 'never_closed', value: 71, before: 89 }, '71 of 89 incidents never closed'],
  [{ kind: 'timer', value: 71, before: 89 }, '71 of 89 incidents closed by a timer'],
  [
    { kind: 'apart', topic: 'acknowledge', subject: 'Checkout', value: 2_520, before: 600 },
    'Checkout acknowledges in 42 min, others in 10 min | Checkout acknowledges in 42 min | one team slow to acknowledge',
  ],
  [
    { kind: 'shift', topic: 'cards', isWorse: false, card: nights },
    'Pages at night fell from 476 to 205 | Pages at night 205 | one figure better',
  ],
]

test.each(cases)('the mail subject of the finding %o names no incidents or people', (change, phrases) => {
  const found = phrasesOf(change)
  expect(found.join(' | ')).toBe(phrases)
  expect(found.join()).not.toMatch(/Disk full|Ada/)
})

test.each(cases)('the shortest mail subject of the finding %o has at most 45 characters', (change) => {
  const long = {
    ...change,
    subject: 'x'.repeat(80),
    within: change.kind === 'concentrated' ? 'x'.repeat(80) : (change.within ?? null),
  }
  if (change.kind === 'data') return // Its subject is a date or a verb.
  expect(phrasesOf(long).at(-1)!.length).toBeLessThanOrEqual(45)
})
