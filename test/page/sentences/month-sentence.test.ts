import { expect, test } from 'vitest'
import type { Verdict } from '../../../src/judge/change-verdict.ts'
import { monthSentence } from '../../../src/page/sentences/month-sentence.ts'
import type { Frame, KpiCard } from '../../../src/render/result.ts'
import { inlineText } from '../../../src/render/text.ts'
import { periodLabel } from '../../../src/report/scope/frame-text.ts'

const october = {
  ...{
    from: '2026-10-01',
    to: '2026-11-01',
    asOf: '2026-11-02 08:00',
    previousLabel: periodLabel({ from: '2026-09-01', to: '2026-10-01' }),
  },
} as Frame
const card = (change: string, label = 'High-severity incidents') =>
  ({
    label,
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
  expect(said({ code: 'unclear', isFar: true })).toBe(
    'High-severity incidents: 331 in October, 369 in September. This may be chance.',
  )
})

test('a month with the most or fewest incidents of seven months or more is not called ordinary', () => {
  const of = (...months: number[]) => inlineText(monthSentence(october, card(''), { code: 'small' }, months))
  expect(of(30, 30, 40, 35, 60, 369, 331)).toContain('an ordinary month')
  expect(of(30, 30, 40, 35, 60, 330, 331)).toBe(
    'High-severity incidents: 331 in October, 369 in September; the most in 7 months.',
  )
  expect(of(400, 390, 380, 360, 340, 369, 331)).toContain('; the fewest in 7 months.')
  expect(of(30, 40, 35, 60, 330, 331)).toContain('an ordinary month')
})

test.each([
  ['a figure that is not compared', { code: 'unread' }, {}],
  ['a period that is not a month', { code: 'small' }, { from: '2026-10-05' }],
  ['a month that is compared with other days', { code: 'small' }, { previousLabel: '31 Aug – 30 Sep 2026' }],
  ['a month without a previous period', { code: 'small' }, { previousLabel: null }],
] as const)('the sentence does not judge %s', (_, verdict, frame) => {
  expect(said(verdict, '', { ...october, ...frame })).toBe('')
})

test('a label keeps its capitals', () => {
  const sentence = monthSentence(october, card('', 'SLA misses'), { code: 'small' })
  expect(inlineText(sentence)).toContain('an ordinary month for SLA misses (')
})

test('January is compared with December of the previous year', () => {
  const january = {
    ...october,
    from: '2026-01-01',
    to: '2026-02-01',
    previousLabel: periodLabel({ from: '2025-12-01', to: '2026-01-01' }),
  }
  expect(said({ code: 'small' }, '', january)).toContain('January was an ordinary month')
  expect(said({ code: 'small' }, '', january)).toContain('December: 369')
})

test('the figures of both months link to their incidents', () => {
  const linked = { ...card('10% fewer'), link: 'now', listBefore: 'before' }
  for (const verdict of [{ code: 'small' }, { code: 'sure', direction: -1 }] as const) {
    const values = monthSentence(october, linked, verdict).filter(({ kind }) => kind === 'value')
    expect(values).toEqual([
      { kind: 'value', parts: [{ text: '331' }], list: 'now' },
      { kind: 'value', parts: [{ text: '369' }], list: 'before' },
    ])
  }
})
