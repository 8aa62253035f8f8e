import { expect, test } from 'vitest'
import { type EventChange, type EventCode, eventSentence } from '../../src/report/judge-events.ts'

const change: Omit<EventChange, 'sentence'> = {
  ...{ measure: 'time_to_ack', code: 'sure', direction: -1, n: 40, nBefore: 50, value: 60, before: 120 },
  others: { n: 300, value: 100, before: 100 },
  ...{ ratio: 0.52, low: 0.38, high: 0.7, p: 0.001, stepP: 0.01, couldShow: 0.43 },
}
const comparison = {
  ...{ event: 'new rota', day: '2026-03-14', teams: null, otherTeams: 0, weeks: 8, weeksBefore: 20 },
  ...{ beside: [], tellableFrom: '2026-04-11' },
}
const said = (more: Partial<EventChange>, weeksBefore = 20) =>
  eventSentence(
    { ...change, ...more },
    { ...comparison, weeksBefore },
    { timezone: 'UTC', year: '2026' },
  ).replace(/[\u202f\u00a0]/g, ' ')

test.each<[EventCode, string, Partial<EventChange>?]>([
  ['sure', '48 % shorter, held against the other teams (95 % sure: −62 to −30 %).'],
  [
    'sure',
    '48 % fewer, held against the other teams (95 % sure: −62 to −30 %).',
    { measure: 'incidents_a_week' },
  ],
  [
    'sure',
    '25 % longer, held against the other teams (95 % sure: +10 to +40 %).',
    { direction: 1, ratio: 1.25, low: 1.1, high: 1.4 },
  ],
  ['possible', 'Possibly 48 % shorter, held against the other teams (95 % sure: −62 to −30 %).'],
  [
    'possible',
    'Possibly 48 % shorter, held against the other teams (95 % sure: −62 to −30 %); it may have been on its way before.',
    { stepP: 0.2 },
  ],
  [
    'trend',
    'It was falling already in the weeks before: 48 % shorter since, and nothing can be said of the event.',
  ],
  [
    'since',
    '48 % shorter since (95 % sure: −62 to −30 %); other teams are not known, so what else came in these weeks is in it. Whether the season does it, a year of weeks before would say: there are 20.',
    { others: null },
  ],
  ['small', 'About the same.'],
  ['unclear', 'No clear change: one under 43 % would not show.'],
  ['unclear', 'No clear change.', { couldShow: null }],
  ['early', 'Cannot be told before 11 Apr 2026.'],
  ['unread', 'Nothing to compare with: of the weeks before it 20 were read, three are needed.'],
  ['short', 'Too few weeks with any: three before and three of the 8 since are needed.'],
  ['few', 'Too few to compare: 5 since, 50 before.', { n: 5 }],
  ['none', 'None since.', { n: 0 }],
  ['none', 'None before.', { nBefore: 0 }],
  ['none', 'None, before and since.', { n: 0, nBefore: 0 }],
])('%s is "%s"', (code, sentence, more = {}) => {
  expect(said({ ...more, code })).toBe(sentence)
  expect(sentence).not.toMatch(/because|caus|help|thanks|due to|led to/i)
})

test('a full year of weeks needs no hint about the season', () => {
  expect(said({ code: 'since', others: null }, 52)).not.toMatch(/season/)
})
