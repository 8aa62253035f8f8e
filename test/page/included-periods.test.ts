import { afterAll, beforeAll, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { listReports } from '../../src/report/report-catalog.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
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
let sessions: ReturnType<typeof pooled>
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
  sessions = pooled(reader)
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
    const result = await runReport(`reports/${name}.md`, sessions, {
      timezone: 'Europe/Berlin',
      period,
    })
    expect(result.warnings).toEqual([])
  },
)
