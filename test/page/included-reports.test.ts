import { describe, expect, test } from 'vitest'
import { checkReport } from '../../src/page/check-report.ts'
import { runReport } from '../../src/page/run-report.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { leadText } from '../../src/render/text.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toTerminal } from '../../src/render/to-terminal.ts'
import { listReports } from '../../src/report/report-catalog.ts'
import { companyReaders, rowsOf } from './company-report.ts'

const company = companyReaders()

let trend: Promise<ReportResult> | undefined
const severityTrend = () => {
  trend ??= runReport('reports/severity-trend.md', company.reader)
  return trend
}

describe('among the included reports,', () => {
  const all = listReports('reports')

  test('every report has a title and a description', () => {
    expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(['mtta-mttr', 'severity-trend']))
    for (const { title, description, problem } of all)
      expect([problem, title, description].every((x) => x !== '')).toBe(true)
  })

  test.each(all)('$name compiles on an empty warehouse', ({ file }) => checkReport(file, company.blank))

  const written = all.filter(({ name }) => ['on-call-handover', 'reliability-review'].includes(name))
  test.each(written)(
    '$name produces the same bytes whatever the time zone of the machine',
    async ({ file }) => {
      const zone = process.env.TZ
      const pages: string[] = []
      for (const TZ of ['America/New_York', 'Asia/Kathmandu']) {
        process.env.TZ = TZ
        const result = await runReport(file, company.reader)
        pages.push(toHtml(result) + toTerminal(result, { width: 100, color: true }))
      }
      if (zone === undefined) delete process.env.TZ
      else process.env.TZ = zone
      expect(pages[1]).toBe(pages[0])
    },
  )

  test('severity-trend has every severity in every week, and the weeks add up to the period', async () => {
    const result = await severityTrend()
    const weekly = rowsOf(result, 'weekly')
    const parts = rowsOf(result, 'weekly_severity')
    expect(parts.length).toBe(weekly.length * 4)
    for (const week of weekly) {
      const of = parts.filter((part) => part.week === week.week)
      expect(of.reduce((sum, part) => sum + Number(part.incidents), 0)).toBe(Number(week.incidents))
    }
    const current = weekly
      .filter(({ period }) => period === 'current')
      .reduce((sum, week) => sum + Number(week.incidents), 0)
    expect(current).toBe(result.counted.funnel.find(({ label }) => label === 'included')!.count)
  })

  test('mtta-mttr shows an improvement in color and in words', async () => {
    const { blocks } = await runReport('reports/mtta-mttr.md', company.reader)
    const lead = blocks[0]!
    expect(lead.kind === 'findings' && leadText(lead)).toMatch(/Time to resolve fell from .+ to .+\./)
    const cards = blocks.find((block) => block.kind === 'kpis')!
    expect(cards.kind === 'kpis' && cards.cards.map(({ change }) => change?.tone)).toEqual(['same', 'better'])
  })
})
