import { expect, test } from 'vitest'
import { words } from '../../src/render/summary.ts'
import { reportOn, rowsOf } from '../page/company-report.ts'
import { company } from '../page/odd-worlds.ts'
import { linesOf } from '../page/stated-figures.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'
import { findingWorld } from './finding-worlds.ts'

/** As many incidents in the last 13 weeks as in the 13 weeks before, but they fall from about 72 per week to 48. */
const falling = Array.from({ length: 26 }, (_, week) => {
  const count = 60 + [9, -9, 4, -6, 2][week % 5]! + (week < 13 ? 0 : 2 * (19 - week))
  return Array.from({ length: count }, (_, place) => ({ ago: (26 - week) * 7 - (7 * place) / count }))
}).flat()

test('a trend that may be chance among several severities is not clear in the table, the chart or the lead', async () => {
  const file = await warehouseFile((connection) => inhabit(connection, company(falling)))
  const result = await reportOn(file, 'reports/severity-trend.md', { timezone: 'UTC' })
  const trends = rowsOf(result, 'trends').filter(({ span }) => span === 'period')
  const p = Number(trends.find(({ severity }) => severity === 'All')!.p)
  expect(p).toBeLessThan(0.01)
  expect(p * trends.length).toBeGreaterThan(0.01)
  expect(words(result.verdict)).toMatch(/^No significant change: 785 incidents/)
  expect(rowsOf(result, 'trend_table')[0]).toMatchObject({ severity: 'All', verdict: 'possibly falling' })
  expect(rowsOf(result, 'weekly').filter((week) => week.incidents_trend !== null)).toEqual([])
})

test.each(['one alert', 'a slow team', 'incidents that nobody closes'] as const)(
  'the lead names a fact about counts that was already true before, but no other fact, for a company with %s',
  async (plant) => {
    const { content, named } = findingWorld(plant, 4)
    const file = await warehouseFile((connection) => inhabit(connection, content))
    const lines = linesOf(await reportOn(file, 'reports/severity-trend.md', { timezone: 'UTC' }))
    if (plant === 'one alert') expect(lines[0]).toMatch(named!)
    else expect(lines).toEqual([])
  },
)
