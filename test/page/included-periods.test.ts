import { afterAll, beforeAll, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { listReports } from '../../src/report/report-catalog.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { objectsOf } from '../../src/warehouse/read/rows-to-objects.ts'
import { findingWorld } from '../judge/finding-worlds.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit } from '../support/world.ts'

/** Months, quarters and irregular periods of the company's history, which ends on 2 November 2026. */
const periods = [
  ...['2026-06', '2026-07', '2026-08', '2026-09', '2026-10', '2026-11', '2026-Q2', '2026-Q3', '2026-Q4'],
  ...['2026-W40', '2026-W44', '2026-10-15', '2026', 'this week', 'this month', 'this quarter', 'this year'],
  ...['last week', 'last month', 'last quarter', 'yesterday', 'today', '1 week', '3 weeks', '10d', '45d'],
  ...['2 months', '1 year', '2026-09-02..2026-10-31', '2026-10-01..2026-10-04', '2026-08-31..2026-11-12'],
]

let reader: Reader
beforeAll(async () => {
  const { content } = findingWorld('nothing', 4)
  // Reviews changed the severity of some incidents from Info to Critical, or from Critical to Info.
  const incidents = content.incidents.map((one, place) => ({
    ...one,
    ...(place % 50 === 0 && { incident_severity: place % 100 === 0 ? 'Critical' : 'Info' }),
  }))
  const versions = content.incidents
    .filter((_, place) => place % 50 === 0)
    .map((one) => ({
      ...one,
      _seen_at: Number(one.start_time) + 60,
      _replaced_at: Number(one.start_time) + 864_000,
    }))
  const path = await warehouseFile((connection) => inhabit(connection, { ...content, incidents, versions }))
  reader = await openReader(path, { settings: defaultSettings })
})
afterAll(() => reader?.close())

/** All periods for the review, which has all kinds of blocks, and a third of the periods for each other report. */
const cases = listReports('reports').flatMap(({ name }, report) =>
  periods
    .filter((_, place) => name === 'reliability-review' || (place + report) % 3 === 0)
    .map((period) => ({ name, period })),
)

test.each(cases)(
  'the report $name runs without warnings for the period $period',
  async ({ name, period }) => {
    const result = await runReport(`reports/${name}.md`, pooled(reader), {
      timezone: 'Europe/Berlin',
      period,
    })
    expect(result.warnings).toEqual([])
  },
)

test('a week across two periods is split, so that each period has its exact total', async () => {
  const { queries } = await runReport('reports/severity-trend.md', pooled(reader), {
    timezone: 'UTC',
    period: '2026-10',
    lists: false,
  })
  const rows = objectsOf(queries.find(({ name }) => name === 'weekly_severity')!)
  const shared = rows.filter(({ week }) => String(week) === '2026-09-28')
  expect(new Set(shared.map(({ period }) => period))).toEqual(new Set(['previous', 'current']))
  const sum = (of: string) =>
    rows.filter(({ period }) => period === of).reduce((all, { incidents }) => all + Number(incidents), 0)
  const session = await reader.session()
  const count = async (from: string, to: string) =>
    Number(
      (
        await session.query(`select count(*) from incident_times where start_time >= timestamptz '${from} 00:00:00+00'
      and start_time < timestamptz '${to} 00:00:00+00'`)
      ).rows[0]![0],
    )
  expect([sum('previous'), sum('current')]).toEqual([
    await count('2026-09-01', '2026-10-01'),
    await count('2026-10-01', '2026-11-01'),
  ])
  session.close()
})
