import { expect, test } from 'vitest'
import type { EventChange, EventCode } from '../../../src/judge/event-verdict.ts'
import { eventSentence } from '../../../src/page/sentences/event-sentences.ts'

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
  ['sure', '48% shorter, relative to the other teams (95% CI −62 to −30%).'],
  ['sure', '48% fewer, relative to the other teams (95% CI −62 to −30%).', { measure: 'incidents_a_week' }],
  [
    'sure',
    '25% longer, relative to the other teams (95% CI +10 to +40%).',
    { direction: 1, ratio: 1.25, low: 1.1, high: 1.4 },
  ],
  ['possible', 'Possibly 48% shorter, relative to the other teams (95% CI −62 to −30%).'],
  [
    'possible',
    'Possibly 48% shorter, relative to the other teams (95% CI −62 to −30%); the change may have started before the event.',
    { stepP: 0.2 },
  ],
  [
    'trend',
    'Already falling before the event (48% shorter since), so the change cannot be attributed to it.',
  ],
  [
    'since',
    '48% shorter since (95% CI −62 to −30%). Without other teams to compare with, this includes all other changes in these weeks. A seasonal effect cannot be excluded: that needs 52 weeks of data before the event, and 20 are available.',
    { others: null },
  ],
  ['small', 'About the same.'],
  ['unclear', 'No clear change (a change smaller than 43% would not be detected).'],
  ['unclear', 'No clear change.', { couldShow: null }],
  ['early', 'Too early: can be assessed from 11 Apr 2026.'],
  ['unread', 'Not compared: this requires three weeks of data before the event, but 20 are available.'],
  [
    'short',
    'Too few weeks with data: the comparison requires three before the event and three of the 8 weeks since it.',
  ],
  ['few', 'Too few to compare: 5 since, 50 before.', { n: 5 }],
  ['none', 'None since.', { n: 0 }],
  ['none', 'None before.', { nBefore: 0 }],
  ['none', 'None, before or since.', { n: 0, nBefore: 0 }],
])('the event verdict with the code %s is "%s"', (code, sentence, more = {}) => {
  expect(said({ ...more, code })).toBe(sentence)
  expect(sentence).not.toMatch(/because|caus|help|thanks|due to|led to/i)
})

test('an event verdict with a full year of data does not mention seasonal effects', () => {
  expect(said({ code: 'since', others: null }, 52)).not.toMatch(/season/)
})
