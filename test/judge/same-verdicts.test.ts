import { beforeAll, describe, expect, inject, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import type { ReportResult } from '../../src/render/result.ts'
import { toCsv } from '../../src/render/to-csv.ts'
import { listReports } from '../../src/report/report-catalog.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import { pooled } from '../../src/warehouse/read/pool.ts'
import { csvOf } from '../page/stated-figures.ts'
import { run } from '../support/cli.ts'
import { openReader } from '../support/storage.ts'
import { warehouseFile } from '../support/warehouse.ts'
import { sqlOf } from './recomputed-verdicts.ts'
import { worlds } from './verdict-worlds.ts'

/**
 * verdicts.csv and a query by `faultline sql` that is independent of reports give the same verdict for every card. For
 * every figure, the change equals value / before - 1 (value - before for shares), to the last digit.
 */
const names = listReports('reports').map(({ name }) => name)
/**
 * Scenarios of the default run, in addition to the scenarios whose verdicts are recomputed. The release tests cover
 * all scenarios.
 */
const some = ['many open', 'much that lasts weeks']

const isUp = (verdict: string) => ['slower', 'more', 'higher'].includes(verdict)
const isDown = (verdict: string) => ['faster', 'fewer', 'lower'].includes(verdict)

const verdictsOf = (result: ReportResult) =>
  result.verdicts.rows.map((row) =>
    Object.fromEntries(result.verdicts.columns.map(({ name }, place) => [name, row[place]])),
  )

function ratiosHold(results: readonly ReportResult[]): void {
  let compared = 0
  for (const result of results)
    for (const row of verdictsOf(result)) {
      const [value, before, change] = [row.value, row.before, row.change].map(Number) as [
        number,
        number,
        number,
      ]
      if (row.change === null || before === 0) continue
      const due = row.measure === 'share' ? value - before : value / before - 1
      expect([result.name, row.figure, change]).toEqual([result.name, row.figure, expect.closeTo(due, 9)])
      if (row.change_low !== null && row.change_high !== null) {
        expect(change).toBeGreaterThanOrEqual(Number(row.change_low) - 1e-9)
        expect(change).toBeLessThanOrEqual(Number(row.change_high) + 1e-9)
      }
      if (/^(possibly )?(slower|more|higher)$/.test(String(row.verdict)))
        expect(value).toBeGreaterThan(before)
      if (/^(possibly )?(faster|fewer|lower)$/.test(String(row.verdict))) expect(value).toBeLessThan(before)
      compared++
    }
  expect(compared).toBeGreaterThan(8)
}

function trendsHold(results: readonly ReportResult[]): void {
  const { columns, rows } = results
    .find(({ name }) => name === 'severity-trend')!
    .queries.find(({ name }) => name === 'trend_table')!
  const at = (column: string) => columns.findIndex(({ name }) => name === column)
  expect(rows.length).toBeGreaterThan(1)
  for (const row of rows) {
    const verdict = String(row[at('verdict')])
    if (verdict.startsWith('too ')) continue
    const [low, high] = [Number(row[at('low')]), Number(row[at('high')])]
    const way = low > 0 ? 'rising' : high < 0 ? 'falling' : 'no trend'
    expect([row[at('severity')], verdict.replace('possibly ', '')]).toEqual([row[at('severity')], way])
  }
}

function findingsHold(results: readonly ReportResult[]): void {
  for (const { findings, name } of results) {
    if (!findings) continue
    const at = (column: string) => findings.columns.findIndex((each) => each.name === column)
    for (const row of findings.rows) {
      const [value, before, estimate] = ['value', 'before', 'estimate'].map((column) => row[at(column)])
      if (row[at('kind')] !== 'shift' || estimate === null || !Number(before)) continue
      const isRate =
        row[at('topic')] !== 'cards' && row[at('topic')] !== 'acknowledge' && row[at('topic')] !== 'resolve'
      if (isRate) continue
      expect([name, row[at('subject')], Number(value) / Number(before)]).toEqual([
        name,
        row[at('subject')],
        expect.closeTo(Number(estimate), 9),
      ])
    }
  }
}

const asked = worlds.filter(
  ({ called, isRecomputed }) => inject('isRelease') || isRecomputed || some.includes(called),
)

describe.each(asked)('in the scenario "$called"', ({ fill, from, to, isRecomputed = false }) => {
  const results = new Map<string, ReportResult>()
  let path: string
  beforeAll(async () => {
    path = await warehouseFile(fill)
    const reader = await openReader(path, { settings: defaultSettings })
    const sessions = pooled(reader)
    const options = { period: `${from}..${to}`, timezone: 'UTC', lists: false }
    for (const name of names) results.set(name, await runReport(`reports/${name}.md`, sessions, options))
    reader.close()
  }, 300_000)

  test('every change equals value / previous - 1, and lies within its 95% CI', () =>
    ratiosHold([...results.values()]))
  test('a trend is reported only if its 95% CI excludes 0', () => trendsHold([...results.values()]))
  test('every ratio in findings.csv equals value / previous value', () => findingsHold([...results.values()]))

  if (!isRecomputed) return
  test('`faultline sql` computes the same verdict and 95% CI as verdicts.csv', async () => {
    const { out, err, code } = await run(['sql', '--json', sqlOf(from, to)], { FAULTLINE_WAREHOUSE: path })
    expect(code, err).toBe(0)
    const said = new Map(
      (JSON.parse(out) as Record<string, string | number | null>[]).map((row) => [row.label, row]),
    )
    const rows = names.flatMap((report) =>
      csvOf(toCsv(results.get(report)!.verdicts)).map((row) => ({ report, row })),
    )
    for (const { report, row } of rows) {
      // Figures used only in prose have an empty label.
      if (row.label === '') continue
      const one = said.get(row.label!)
      expect([report, row.label, row.verdict]).toEqual([report, row.label, one?.verdict])
      // A 95% CI that contradicts the verdict is not written.
      const isMoved =
        isUp(row.verdict!.replace('possibly ', '')) || isDown(row.verdict!.replace('possibly ', ''))
      const isDenied = one!.low !== null && (Number(one!.low) > 0 || Number(one!.high) < 0) !== isMoved
      for (const end of ['low', 'high'] as const) {
        const [written, wanted] = [row[`change_${end}`], one![end]]
        if (wanted === null || isDenied) expect(written, `${report}: ${row.label}`).toBe('')
        else expect(Number(written), `${report}: ${row.label}`).toBeCloseTo(Number(wanted), 6)
      }
    }
  }, 300_000)
})
