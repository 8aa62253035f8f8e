import { afterAll, beforeAll, expect, test } from 'vitest'
import { cardFigure } from '../../src/judge/card-figures.ts'
import { drawCard } from '../../src/page/draw-card.ts'
import type { ResolveContext } from '../../src/page/draw-text.ts'
import type { Value } from '../../src/render/result.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { judgedResult } from '../judge/judged-result.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'

let reader: Reader
beforeAll(async () => {
  reader = await openReader(await warehouseFile(async () => {}), { settings: defaultSettings })
})
afterAll(() => reader.close())

const values = Array.from(
  { length: 25 },
  (_, index) => `{'place': 0, 'seconds': ${(index + 1) * 60}, 'is_open': false, 'part': 0, 'n': 1}`,
)

async function card(row: Record<string, [string, Value]>, key: string, options: object = {}) {
  const types = Object.fromEntries(Object.entries(row).map(([name, [type]]) => [name, type]))
  const { result, figures } = await judgedResult(
    reader,
    types,
    [Object.values(row).map(([, value]) => value)],
    key,
  )
  const known: ResolveContext = {
    results: new Map([['q', result]]),
    figures,
    linksOf: () => null,
    wholeWeeks: new Set(['2026-10-12', '2026-10-19']),
    comparable: true,
    few: null,
    context: { timezone: 'UTC', year: '2026' },
  }
  const body = {
    label: 'L',
    value: { query: 'q', column: key },
    format: 'duration' as const,
    better: 'lower' as const,
    incidents: null,
    ...options,
  }
  return drawCard(cardFigure(body, { file: 'r.md', line: 1 }, known), known)
}
const text = (parts: readonly { text: string }[]) => parts.map((part) => part.text).join(' ')

test('a card with a median shows the 95% CI and the number of incidents', async () => {
  const found = await card({ ttr: ['DOUBLE', 780], ttr_sample: ['times_of', values] }, 'ttr')
  expect([text(found.value), found.n, ...found.interval!.map(text)]).toEqual([
    '13 min',
    25,
    '8 min',
    '18 min',
  ])
})

test('a card with a mean does not show the 95% CI of the median', async () => {
  expect((await card({ ttr: ['DOUBLE', 900], ttr_sample: ['times_of', values] }, 'ttr')).interval).toBeNull()
})

test('a card with a share shows a Wilson interval, and compares the target by `better`', async () => {
  const row: Record<string, [string, Value]> = { met: ['DOUBLE', 0.84], met_n: ['BIGINT', 50n] }
  const found = await card(row, 'met', { format: 'percent', better: 'higher', target: 0.9 })
  expect(found.interval!.map(text)).toEqual(['71 %', '92 %'])
  // 71 to 92 % includes 90 %, so the miss is uncertain.
  expect(found.target).toEqual({ text: 'at least 90%', met: false, isNoise: true })
  expect(
    (await card(row, 'met', { format: 'percent', better: 'higher', target: 0.95 })).target?.isNoise,
  ).toBe(false)
  expect((await card(row, 'met', { format: 'percent', better: 'lower', target: 0.9 })).target?.met).toBe(true)
})

test('a card without a value shows a dash, and no interval, change or target', async () => {
  const found = await card({ ttr: ['DOUBLE', null], ttr_sample: ['times_of', null] }, 'ttr', { target: 60 })
  expect(found).toMatchObject({ value: [{ text: '–' }], interval: null, change: null, target: null, n: 0 })
})

test('the trend line on a card ends with the last whole week', async () => {
  const week = (at: string): Record<string, [string, Value]> => ({ week: ['DATE', at], n: ['BIGINT', 5n] })
  const trend = { query: 'q', column: 'n' }
  expect((await card(week('2026-10-19'), 'n', { format: 'number', trend })).trend).toEqual([
    { at: '2026-10-19', value: 5 },
  ])
  expect((await card(week('2026-10-26'), 'n', { format: 'number', trend })).trend).toEqual([])
})
