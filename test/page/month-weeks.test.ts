import { beforeAll, expect, test } from 'vitest'
import type { ReportResult } from '../../src/render/result.ts'
import { words } from '../../src/render/summary.ts'
import { inlineText } from '../../src/render/text.ts'
import { objectsOf } from '../../src/warehouse/read/rows-to-objects.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { reportOn } from './company-report.ts'
import { company } from './odd-worlds.ts'

const DAY = 86_400
/** The data was read on 27 October, so a report about the last month ends four weeks before. */
const now = Date.UTC(2026, 9, 27, 12) / 1_000
const on = (month: number, day: number) => (now - Date.UTC(2026, month, day, 6) / 1_000) / DAY

let result: ReportResult
let file: string
beforeAll(async () => {
  // Ten incidents on each day of August and October, and four on each day of September. Some have been open since May.
  const days = (month: number, length: number, perDay: number) =>
    Array.from({ length: length * perDay }, (_, place) => ({
      ...{ ago: on(month, 1 + Math.floor(place / perDay)) - place / 1e5, close: 600 + 37 * (place % 90) },
    }))
  const old = Array.from({ length: 5 }, (_, place) => ({ ago: on(4, 2) - place / 1e5, close: null }))
  const made = [...days(7, 31, 10), ...days(8, 30, 4), ...days(9, 26, 10), ...old]
  file = await warehouseFile((connection) => inhabit(connection, company(made, { now })))
  const options = { timezone: 'UTC', period: '1 month' }
  result = await reportOn(file, 'reports/reliability-review.md', options)
}, 300_000)

test('a chart shows only the part of a week that is in the period', () => {
  // 1 September is a Tuesday. The week before it ends on Monday, 31 August, with 10 incidents.
  for (const block of result.blocks) {
    if (block.kind !== 'chart' || !block.data.columns.some(({ name }) => name === 'period')) continue
    const split = objectsOf(block.data).filter(({ week }) => String(week).startsWith('2026-08-31'))
    expect(new Set(split.map(({ period }) => period))).toEqual(new Set(split.length > 0 ? ['current'] : []))
  }
})

test('the title of a chart is about the last full week of the period, not about weeks after it', () => {
  const titles = result.blocks.flatMap((block) =>
    block.kind === 'chart' ? words(inlineText(block.title)) : [],
  )
  expect(titles).toContainEqual(expect.stringMatching(/^Incidents: 28 in the last full week/))
})

test('cards show no weeks after the month, and percentages that agree with their counts', () => {
  const card = result.kpis.find(({ label }) => label === 'Incidents')!
  expect(card.trend.at(-1)).toEqual({ at: '2026-09-21', value: 28 })
  // 310 incidents in August, 120 in September. Per day, there are 60% fewer.
  expect(card.change).toMatchObject({ verdict: 'fewer', amount: '61%' })
})

test('incidents that started long before the period and were open in it count as open', () => {
  const rows = objectsOf(result.queries.find(({ name }) => name === 'hours')!)
  const open = rows.reduce((sum, { open_time: time }) => sum + Number(time), 0)
  expect(open).toBeGreaterThan(5 * 30 * DAY)
})

test('a week is too short to compare, so the lead does not say that nothing changed', async () => {
  const week = await reportOn(file, 'reports/severity-trend.md', { timezone: 'UTC', period: '2026-W38' })
  expect(words(week.verdict)).toMatch(/^Too short to compare: 28 incidents/)
})
