import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ConfigError, ReportError } from '../../src/errors.ts'
import { runReport } from '../../src/page/run-report.ts'
import { writeReport } from '../../src/page/write-report-files.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { listReports } from '../../src/report/report-catalog.ts'
import { writeStarter } from '../../src/report/report-template.ts'
import { scratch } from '../support/warehouse.ts'
import { companyReaders, report, sql } from './company-report.ts'

const company = companyReaders()

let trend: Promise<ReportResult> | undefined
const severityTrend = () => {
  trend ??= runReport('reports/severity-trend.md', company.reader)
  return trend
}

describe('writing the files of a report', () => {
  test('adds the unit to the name of a duration column only once', async () => {
    const query = sql(
      'q',
      'select 1 as card, 2 as told, 3 as cell, 4 as low, 5 as high, 6 as bar, 7 as n, 8 as done_s, 9 as x, 10 as x_s',
    )
    const body = `${query}
{{ q.told | duration }}, {{ q.n | number }}

\`\`\`kpi
- { label: A, value: q.card, format: duration }
\`\`\`

\`\`\`table
data: q
columns: [{ column: cell, format: duration, interval: [low, high] }, { column: done_s, format: duration }, { column: x, format: duration }]
\`\`\`

\`\`\`chart
{ type: bars, title: B, data: q, x: bar, y: n, format: duration }
\`\`\`
`
    const out = scratch()
    const [path] = writeReport(await runReport(report(body), company.reader), out, ['csv'])
    expect(readFileSync(path!, 'utf8').split('\r\n')[0]).toBe(
      '\ufeffcard_s,told_s,cell_s,low_s,high_s,bar_s,n,done_s,x,x_s',
    )
  })

  test('escapes formulas in CSV, and marks the CSV file as UTF-8', async () => {
    const title = "select 'Überlast 支付;=HYPERLINK(1)' as title"
    const result = await runReport(report(`\`\`\`sql q\n${title}\n\`\`\`\n`), company.reader)
    const path = writeReport(result, scratch(), ['csv']).find((one) => one.endsWith('q.csv'))!
    expect(readFileSync(path, 'utf8')).toBe("\ufefftitle\r\nÜberlast 支付;'=HYPERLINK(1)\r\n")
  })

  test('creates only the page, the JSON file and a CSV file for each query', async () => {
    const out = join(scratch(), 'deep', 'er')
    const result = await severityTrend()
    const paths = writeReport(result, out, ['html', 'csv', 'json'])
    expect(paths).toHaveLength(6 + result.queries.length)
    expect(readdirSync(out).sort()).toEqual([
      '.served-files',
      'severity-trend',
      'severity-trend.html',
      'severity-trend.json',
    ])
    expect(readdirSync(join(out, 'severity-trend')).sort()).toEqual(
      [
        ...result.queries.map(({ name }) => `${name}.csv`),
        ...['findings.csv', 'verdicts.csv', 'all_incidents.csv', 'incidents', 'queries.sql'],
      ].sort(),
    )
    const json = JSON.parse(readFileSync(join(out, 'severity-trend.json'), 'utf8'))
    expect(json.results.weekly).toHaveLength(27)
  })

  test('leaves the previous files unchanged after an error', async () => {
    const out = scratch()
    const good = await severityTrend()
    const [page] = writeReport(good, out, ['html'])
    const before = readFileSync(page!, 'utf8')
    mkdirSync(join(out, 'severity-trend.json'))
    const changed = { ...good, title: 'Changed' }
    expect(() => writeReport(changed, out, ['json'])).toThrow(ReportError)
    // A page that fails to render must leave all files unchanged.
    const broken = { ...changed, blocks: [{ kind: 'kpis', cards: null }] as never }
    expect(() => writeReport(broken, out, ['json', 'html'])).toThrow(TypeError)
    expect(readFileSync(page!, 'utf8')).toBe(before)
    expect(readdirSync(out).filter((name) => name.endsWith('.part'))).toEqual([])
  })
})

describe('a custom report', () => {
  test('created from the template runs unchanged, and never overwrites another report', async () => {
    const where = join(scratch(), 'mine')
    const file = writeStarter(where, 'my-team')
    expect(existsSync(file)).toBe(true)
    expect((await runReport(file, company.reader)).title).toBe('My team')
    expect(() => writeStarter(where, 'my-team')).toThrow(ConfigError)
    expect(() => writeStarter(where, '../evil')).toThrow(ConfigError)
    expect(listReports(where)).toMatchObject([{ name: 'my-team', title: 'My team', problem: null }])
  })

  test('is listed with its error if invalid', () => {
    const where = scratch()
    writeFileSync(join(where, 'broken.md'), 'no front matter')
    writeFileSync(join(where, 'notes.txt'), 'not a report')
    expect(listReports(where)).toMatchObject([{ name: 'broken', problem: { line: 1 } }])
    expect(listReports(join(where, 'none'))).toEqual([])
  })
})
