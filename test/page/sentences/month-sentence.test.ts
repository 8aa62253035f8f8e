import { expect, test } from 'vitest'
import type { Verdict } from '../../../src/judge/change-verdict.ts'
import { monthSentence } from '../../../src/page/sentences/month-sentence.ts'
import type { Frame, KpiCard } from '../../../src/render/result.ts'
import { inlineText } from '../../../src/render/text.ts'

const october = { from: '2026-10-01', to: '2026-11-01', asOf: '2026-11-02 08:00' } as Frame
const card = (change: string) =>
  ({
    label: 'High-severity incidents',
    value: [{ text: '331' }],
    change: { words: change, previous: [{ text: '369' }] },
  }) as unknown as KpiCard
const said = (verdict: Verdict, change = '', frame = october) =>
  inlineText(monthSentence(frame, card(change), verdict))

test('a month is called ordinary only if its figure did not change', () => {
  const ordinary = 'October was an ordinary month for high-severity incidents (331; September: 369).'
  expect(said({ code: 'small' })).toBe(ordinary)
  expect(said({ code: 'unclear', isFar: false })).toBe(ordinary)
  expect(said({ code: 'sure', direction: -1 }, '10% fewer')).toBe(
    'High-severity incidents in October: 331, 10% fewer than in September (369).',
  )
  expect(said({ code: 'unclear', isFar: true }, 'not clearly fewer or more')).toBe(
    'High-severity incidents in October: 331, not clearly fewer or more than in September (369).',
  )
})

test('there is no judgment of a figure that is not compared, or of a period that is not a month', () => {
  expect(said({ code: 'unread' })).toBe('')
  expect(said({ code: 'small' }, '', { ...october, from: '2026-10-05' })).toBe('')
})

test('January is compared with December of the previous year', () => {
  const january = { ...october, from: '2026-01-01', to: '2026-02-01' }
  expect(said({ code: 'small' }, '', january)).toContain('January was an ordinary month')
  expect(said({ code: 'small' }, '', january)).toContain('December: 369')
})
