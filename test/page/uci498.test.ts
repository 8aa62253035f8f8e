import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runReport } from '../../src/page/run-report.ts'
import { writeReport } from '../../src/page/write-report-files.ts'
import { defaultSettings } from '../../src/settings/settings.ts'
import type { Reader } from '../../src/warehouse/read/reader.ts'
import { handledUci498 } from '../support/handled-uci498.ts'
import { openReader } from '../support/storage.ts'
import { reportFile, scratch, settleUci498, uci498, warehouseFile } from '../support/warehouse.ts'

if (uci498 === null)
  console.warn(
    'Skipped: the 24,918 real incidents are not beside the checkout, so no figure is checked on them.',
  )

type Figures = { n: number; mean: number; median: number; p90: number }
/** The included reports have no times to recover by severity. */
const byRecovery = reportFile(`\`\`\`table recover_by_severity
by: severity
columns:
  - { metric: time_to_recover, show: [median, p90, mean] }
\`\`\`
`)

interface Expected {
  incidents: number
  time_to_ack_s: Figures
  time_to_close_s: Figures
  time_to_recover_s: Figures
}

describe.skipIf(uci498 === null)(
  'the figures in CSV files match those of an independent program for 24,918 real incidents',
  () => {
    const expected: { all: Expected; by_severity: Record<string, Expected> } =
      uci498 === null ? { by_severity: {} } : JSON.parse(readFileSync(join(uci498, 'expected.json'), 'utf8'))
    const handled = uci498 === null ? new Map() : handledUci498(uci498)
    const out = scratch()
    let reader: Reader
    beforeAll(async () => {
      reader = await openReader(await warehouseFile(settleUci498), { settings: defaultSettings })
      const options = { period: '2016-02-01..2017-03-01', timezone: 'UTC' }
      for (const path of ['reports/mtta-mttr.md', 'reports/severity-trend.md', byRecovery])
        writeReport(await runReport(path, reader, options), out, ['csv'])
    }, 300_000)
    afterAll(() => reader.close())

    /** The figures of a metric in a row. */
    const figuresOf = (row: Record<string, string> | undefined, metric: string) => ({
      n: row?.[`${metric}_n`] ?? '',
      median_s: row?.[`${metric}_s`] ?? '',
      p90_s: row?.[`${metric}_p90_s`] ?? '',
      mean_s: row?.[`${metric}_mean_s`] ?? '',
    })

    /** The rows of a CSV file that needs no quotes. */
    function read(path: string): Record<string, string>[] {
      const [head = '', ...lines] = readFileSync(join(out, path), 'utf8')
        .replace(/^\ufeff/, '')
        .trimEnd()
        .split('\r\n')
      return lines.map((line) =>
        Object.fromEntries(head.split(',').map((name, index) => [name, line.split(',')[index] ?? ''])),
      )
    }

    function compare(row: Record<string, string> | undefined, wanted: Figures) {
      expect(Number(row?.n)).toBe(wanted.n)
      for (const figure of ['mean', 'median', 'p90'] as const) {
        expect(Math.abs(Number(row?.[`${figure}_s`]) - wanted[figure])).toBeLessThan(1e-6)
      }
    }

    test('in total', () => {
      const rows = readFileSync(join(out, 'mtta-mttr/figures.csv'), 'utf8').trimEnd().split('\r\n').slice(1)
      const figures = rows.map((line) => line.replace(/"[^"]*"/, '').split(','))
      const row = (index: number) => {
        const [, , n, median, p90, mean] = figures[index] ?? []
        return { n: n!, median_s: median!, p90_s: p90!, mean_s: mean! }
      }
      compare(row(0), expected.all.time_to_ack_s)
      compare(row(1), handled.get('(all)')!)
      compare(row(2), expected.all.time_to_close_s)
      compare(row(3), expected.all.time_to_recover_s)
    })

    test.each(Object.keys(expected.by_severity))('of severity %s', (severity) => {
      const wanted = expected.by_severity[severity]!
      const of = (file: string, metric: string) =>
        figuresOf(
          read(`${file}.csv`).find((row) => row.severity === severity),
          metric,
        )
      compare(of('mtta-mttr/acknowledge_by_severity', 'time_to_acknowledge'), wanted.time_to_ack_s)
      compare(of('mtta-mttr/resolve_by_severity', 'time_to_resolve'), handled.get(severity)!)
      compare(
        of(`${basename(byRecovery, '.md')}/recover_by_severity`, 'time_to_recover'),
        wanted.time_to_recover_s,
      )
      const trend = read('severity-trend/weekly_severity.csv').filter((row) => row.severity === severity)
      expect(trend.reduce((sum, row) => sum + Number(row.incidents), 0)).toBe(wanted.incidents)
      expect(
        Number(read('severity-trend/by_severity.csv').find((row) => row.severity === severity)?.incidents),
      ).toBe(wanted.incidents)
    })
  },
)
