import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toMail } from '../../src/render/to-mail.ts'
import { listReports } from '../../src/report/report-catalog.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { inhabit, settleCompany } from '../support/world.ts'
import { rowsOf } from './company-report.ts'
import { company } from './odd-worlds.ts'

describe('a report on a period from a Thursday to a Wednesday', () => {
  const results = new Map<string, ReportResult>()
  beforeAll(async () => {
    const reader = await openReader(await warehouseFile(settleCompany), { settings: defaultSettings })
    const options = { period: '2026-08-06..2026-09-30', timezone: 'UTC', lists: false }
    const sessions = pooled(reader)
    for (const name of ['severity-trend', 'reliability-review', 'executive-summary'])
      results.set(name, await runReport(`reports/${name}.md`, sessions, options))
    reader.close()
  })

  const rows = (name: string, query: string) => rowsOf(results.get(name)!, query)
  const sum = (some: Record<string, unknown>[], column = 'incidents') =>
    some.reduce((total, row) => total + Number(row[column]), 0)

  test.each([
    ['severity-trend', 'weekly'],
    ['reliability-review', 'summary_weekly'],
  ])('has the same number of incidents in cards and weekly charts: %s', (name, weekly) => {
    for (const of of ['current', 'previous']) {
      const sumOf = (query: string) => sum(rows(name, query).filter(({ period }) => period === of))
      const all = sumOf('summary')
      expect(all).toBeGreaterThan(20)
      for (const query of [weekly, 'weekly_severity'])
        expect([of, query, sumOf(query)]).toEqual([of, query, all])
    }
  })

  test('marks partial weeks in the data and on the page', () => {
    const result = results.get('severity-trend')!
    const partial = rows('severity-trend', 'weekly').filter(({ is_partial }) => is_partial === true)
    expect(partial.map(({ week }) => week)).toEqual(expect.arrayContaining(['2026-08-03', '2026-09-28']))
    const page = toHtml(result)
    expect(page.includes('3\u00a0Aug (incomplete)') && page.includes('28\u00a0Sep (incomplete)')).toBe(true)
    // The last month ends with the period.
    expect(rows('executive-summary', 'serious_incidents_by_month_severity').at(-1)).toMatchObject({
      month: '2026-09-01',
      is_partial: true,
    })
    expect(toMail(results.get('executive-summary')!, null).html).not.toContain('1\u00a0Oct')
  })
})

/** The period has more than 255 weeks. */
describe('a report on nine years', () => {
  const DAY = 86_400
  const [from, to] = [Date.UTC(2017, 0, 2) / 1000, Date.UTC(2026, 0, 5) / 1000]
  const made = Array.from({ length: 1_400 }, (_, place) => ({
    ago: ((to - from) / DAY + 200) * (1 - place / 1_400),
    team: `team ${place % 3}`,
    severity: ['Critical', 'Warning', 'Info', 'Info', 'Info'][place % 5]!,
    ack: 60 * (1 + (place % 30)),
    close: place % 101 === 0 ? null : 60 * (5 + ((place * 37) % 400)),
    person: 5 + (place % 4),
  }))
  const names = listReports('reports').map(({ name }) => name)
  let reader: Reader
  let sessions: ReturnType<typeof pooled>
  beforeAll(async () => {
    const content = company(made, { now: to, days: 4_000, crew: ['Ana', 'Ben', 'Cleo', 'Dan'] })
    const path = await warehouseFile((connection) => inhabit(connection, content))
    reader = await openReader(path, { settings: defaultSettings })
    sessions = pooled(reader)
  })
  afterAll(() => reader.close())

  test.each(names)('has a complete page and mail: %s', async (name) => {
    const result = await runReport(`reports/${name}.md`, sessions, {
      period: '2017-01-02..2026-01-05',
      timezone: 'UTC',
    })
    expect(result.frame.label).toContain('2017')
    const page = toHtml(result)
    // A dozen charts each draw every week.
    expect(page.length).toBeLessThan(2_500_000)
    expect(page).not.toMatch(/NaN|undefined|Infinity/)
    const mail = toMail(result, null).html
    // A handover shows the time of its data.
    expect(mail).toContain(name === 'on-call-handover' ? '5 Jan 2026' : '2017')
    for (const { label } of result.kpis.slice(0, 4)) expect(mail).toContain(`>${label}</th>`)
    for (const { label, change } of result.kpis)
      expect([label, change?.verdict]).not.toContain('nothing to compare with')
  })
})
