import { beforeAll, describe, expect, test } from 'vitest'
import { defaultSettings } from '../../src/config/settings.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toMail } from '../../src/render/to-mail.ts'
import { runReport } from '../../src/report/run.ts'
import { openReader } from '../../src/warehouse/read/reader.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { settleCompany } from '../support/world.ts'

/** Issue 16: of a period that is not whole weeks every chart and table counts the same incidents, and says what is not whole. */
describe('a period from a Thursday to a Wednesday', () => {
  const results = new Map<string, ReportResult>()
  beforeAll(async () => {
    const reader = await openReader(await warehouseFile(settleCompany), { settings: defaultSettings })
    const options = { period: '2026-08-06..2026-09-30', timezone: 'UTC' }
    for (const name of ['severity-trend', 'reliability-review', 'executive-summary'])
      results.set(name, await runReport(`reports/${name}.md`, reader, options))
    reader.close()
  })

  const rowsOf = (name: string, query: string) => {
    const { columns, rows } = results.get(name)!.queries.find((each) => each.name === query)!
    return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column.name, row[index]])))
  }
  const sum = (rows: Record<string, unknown>[], column = 'incidents') =>
    rows.reduce((total, row) => total + Number(row[column]), 0)

  test.each(['severity-trend', 'reliability-review'])('counts the same everywhere on %s', (name) => {
    const all = sum(rowsOf(name, 'summary').filter(({ period }) => period === 'current'))
    expect(all).toBeGreaterThan(20)
    for (const query of ['weekly', 'weekly_severity', 'weekly_team'])
      expect([query, sum(rowsOf(name, query).filter(({ period }) => period === 'current'))]).toEqual([
        query,
        all,
      ])
  })

  test('marks the weeks that it shares, in files, on the page, and in mails', () => {
    const result = results.get('severity-trend')!
    const partial = rowsOf('severity-trend', 'weekly').filter(({ is_partial }) => is_partial === true)
    expect(partial.map(({ week }) => week)).toEqual(expect.arrayContaining(['2026-08-03', '2026-09-28']))
    const page = toHtml(result)
    expect(page.includes('3\u00a0Aug, incomplete') && page.includes('28\u00a0Sep, incomplete')).toBe(true)
    // Months end with the period.
    expect(rowsOf('executive-summary', 'monthly').at(-1)).toMatchObject({
      month: '2026-09-01',
      is_partial: true,
    })
    expect(toMail(results.get('executive-summary')!, null).html).not.toContain('1\u00a0Oct')
  })
})
