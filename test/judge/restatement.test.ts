import { createHash } from 'node:crypto'
import { appendFileSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { ReportResult } from '../../src/render/result.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toJson } from '../../src/render/to-json.ts'
import type { RunOptions } from '../../src/report/ask-queries.ts'
import { resources } from '../../src/resources/index.ts'
import { defaultSettings, type Settings } from '../../src/settings/settings.ts'
import { warehouseFiles } from '../../src/warehouse/file/files.ts'
import { foldReportRuns, noteReportRun } from '../../src/warehouse/read/report-runs.ts'
import { reportOn } from '../page/company-report.ts'
import { openReader, openWarehouse } from '../support/storage.ts'
import { preparedWarehouse, reportFile, scratch } from '../support/warehouse.ts'
import { change, incident, sync as syncInto } from './restated-world.ts'

const file = reportFile(
  `\`\`\`sql s
select count(*) as incidents, count(ttr) as closed, median(ttr) as ttr, times_alone(ttr) as ttr_sample,
  count(*) filter (incident_severity = 'Critical') as critical, 7 as constant
from scoped_incidents where period = 'current'
\`\`\`
\`\`\`kpi
- { label: Incidents, value: s.incidents, format: number }
- { label: Closed, value: s.closed, format: number }
- { label: Time to resolve, value: s.ttr, format: duration }
- { label: Critical, value: s.critical, format: number }
- { label: Constant, value: s.constant, format: number }
\`\`\`
`,
  'title: T\nparams: { period: "2026-10-05..2026-10-12", timezone: UTC }',
)

const ledgerOf = (path: string) => `${path}.report-runs.ndjson`
let path: string
beforeAll(() => {
  path = join(scratch(), 'warehouse.duckdb')
  copyFileSync(inject('templates').synced, path)
})

const sync = (runId: number, asOf: string, ...statements: string[]) =>
  syncInto(path, runId, asOf, ...statements)

async function run(options: RunOptions = {}, settings: Settings = defaultSettings): Promise<ReportResult> {
  return reportOn(path, file, { ...options, settings })
}
const note = ({ run: facts }: ReportResult, now: string) =>
  noteReportRun(warehouseFiles(path), facts, { version: '1.2.3', now: Date.parse(now) })
const bytes = (result: ReportResult) => toHtml(result) + toJson(result)

describe('the restatement since the last run of a report', () => {
  let first: ReportResult

  test('is absent in the first run and after a run on the same data', async () => {
    await sync(
      1,
      '2026-10-13 00:00:00+00',
      ...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => incident(id, 1)),
      incident('open', 1, { progress: `'Processing'`, close_time: 'null' }),
    )
    first = await run()
    expect(first.restated).toBeNull()
    expect(first.run.figures).toEqual([
      { figure: 's.incidents', label: 'Incidents', format: 'number', value: 7, n: null },
      { figure: 's.closed', label: 'Closed', format: 'number', value: 6, n: null },
      { figure: 's.ttr', label: 'Time to resolve', format: 'duration', value: 3_600, n: 6 },
      { figure: 's.critical', label: 'Critical', format: 'number', value: 0, n: null },
      { figure: 's.constant', label: 'Constant', format: 'number', value: 7, n: null },
    ])
    note(first, '2026-10-13T01:00:00Z')
    expect(bytes(await run())).toBe(bytes(first))
    note(first, '2026-10-13T02:00:00Z')
    expect(bytes(await run())).toBe(bytes(first))
  })

  test('is based on a ledger that only its owner can read, and that SQL can query', async () => {
    expect(statSync(ledgerOf(path)).mode & 0o777).toBe(0o600)
    expect(readFileSync(ledgerOf(path), 'utf8').trim().split('\n')).toHaveLength(2)
    const reader = await openReader(path, { settings: defaultSettings })
    const { rows } = await reader.query(
      'select figure, value, n, period_from, version from report_runs order by ran_at, figure limit 2',
    )
    expect(rows).toEqual([
      ['s.closed', 6, null, '2026-10-05', '1.2.3'],
      ['s.constant', 7, null, '2026-10-05', '1.2.3'],
    ])
    reader.close()
  })

  test('shows changed figures with their reasons', async () => {
    await sync(
      2,
      '2026-10-14 00:00:00+00',
      ...change('open', 2, `progress = 'Closed', close_time = timestamptz '2026-10-06 20:00:00+00'`),
      ...change('a', 2, `incident_severity = 'Critical'`),
      ...change('b', 2, `incident_severity = 'Critical', title = 'x'`),
      ...change('c', 2, `deleted_at = timestamptz '2026-10-13 10:00:00+00'`),
      ...change('d', 2, `start_time = timestamptz '2026-10-01 10:00:00+00'`),
      ...change('e', 2, `title = 'only the title'`),
      `update incidents set vanished_at = timestamptz '2026-10-14 00:05:00+00' where incident_id = 'f'`,
      incident('new', 2),
      incident('elsewhere', 2, { start_time: `timestamptz '2026-10-13 10:00:00+00'` }),
    )
    const second = await run()
    expect(second.restated).toMatchObject({
      asOf: '2026-10-13T00:00:00',
      unchanged: 1,
      figures: [
        { label: 'Incidents', before: [{ text: '7' }], now: [{ text: '5' }] },
        { label: 'Closed', before: [{ text: '6' }], now: [{ text: '5' }] },
        { label: 'Time to resolve', nBefore: 6, nNow: 5 },
        { label: 'Critical', before: [{ text: '0' }], now: [{ text: '2' }] },
      ],
    })
    const reasons = second.restated!.figures.flatMap(({ reasons }) => reasons)
    for (const one of [
      { reason: 'with a different severity', incidents: 2, examples: ['INC-a', 'INC-b'] },
      { reason: 'closed since', incidents: 1, examples: ['INC-open'] },
      { reason: 'deleted', incidents: 1, examples: ['INC-c'] },
      { reason: 'moved out of the period', incidents: 1, examples: ['INC-d'] },
      { reason: 'new', incidents: 1, examples: ['INC-new'] },
      { reason: 'removed from the service', incidents: 1, examples: ['INC-f'] },
    ])
      expect(reasons).toContainEqual(one)
    const page = toHtml(second)
    expect(page.includes('INC-open')).toBe(true)
    note(second, '2026-10-14T01:00:00Z')
    expect(bytes(await run())).toBe(bytes(second))
  })

  test('is absent if the last run had a different scope or period', async () => {
    expect((await run({ severity: 'critical' })).restated).toBeNull()
    expect((await run({ period: '2026-10-05..2026-10-13' })).restated).toBeNull()
  })

  test('is absent after a sync that changed nothing', async () => {
    await sync(3, '2026-10-15 00:00:00+00')
    expect((await run()).restated).toBeNull()
  })

  test('is shown after a change of definitions on unchanged data, and again in later runs', async () => {
    const before = await run()
    note(before, '2026-10-15T01:00:00Z')
    const other: Settings = { ...defaultSettings, thresholds: [] }
    const same = await run({}, other)
    // Figures do not depend on this setting.
    expect(same.restated).toBeNull()
    expect(same.run.definition).not.toBe(before.run.definition)
    // Adds the entry of a run with another definition of the report.
    const former = {
      ...before.run,
      definition: 'former',
      figures: before.run.figures.map((each) => ({ ...each, value: 99 })),
    }
    noteReportRun(warehouseFiles(path), former, { version: '1.2.2', now: Date.parse('2026-10-15T02:00:00Z') })
    const { restated } = await run()
    expect(restated?.figures[0]?.reasons).toEqual([
      { reason: 'the report, a definition or a setting changed', incidents: 0, examples: [] },
    ])
    note(await run(), '2026-10-15T03:00:00Z')
    expect((await run()).restated).toEqual(restated)
  })
})

describe('the ledger of report runs', () => {
  test('is moved into a warehouse table by the next sync, exactly once', async () => {
    const fold = async () => {
      const instance = await DuckDBInstance.create(path)
      const connection = await instance.connect()
      await foldReportRuns(connection, ledgerOf(path))
      const counted = await connection.runAndReadAll(
        'select count(*), count(distinct run_key) from report_runs',
      )
      connection.closeSync()
      instance.closeSync()
      return counted.getRows()[0]
    }
    const before = await run()
    const lines = readFileSync(ledgerOf(path), 'utf8').trim().split('\n').length
    expect(await fold()).toEqual([BigInt(5 * lines), BigInt(lines)])
    expect(await fold()).toEqual([BigInt(5 * lines), BigInt(lines)])
    expect(bytes(await run())).toBe(bytes(before))
  })

  test('skips damaged and foreign lines', async () => {
    const before = await run()
    appendFileSync(ledgerOf(path), 'null\n[1]\n{"figures":3}\nnot json\n{"report":"T","fig')
    expect(bytes(await run())).toBe(bytes(before))
    note(before, '2026-10-16T01:00:00Z')
    const reader = await openReader(path, { settings: defaultSettings })
    const { rows } = await reader.query(
      `select count(*) from report_runs where ran_at = '2026-10-16 01:00:00+00'`,
    )
    reader.close()
    expect(rows).toEqual([[5n]])
  })

  test.each([
    ['half a character', '{"team":"\\ud800","figures":[{"figure":"a.b"}]}', 1],
    ['nested lists', `{"figures":[{"figure":${'['.repeat(2_000)}${']'.repeat(2_000)}}]}`, 1],
    ['invalid figures', '{"figures":[null,"a",7]}', 3],
    ['the key of another run', '{"run_key":"mine","figures":[{"figure":"a.b","run_key":"mine"}]}', 1],
  ])('is imported once, and does not block publishing, if a line has %s', async (_, line, figures) => {
    const folder = scratch()
    const file = join(folder, 'w.duckdb')
    const run = JSON.parse(line)
    // Lines without a valid check are ignored.
    const check = createHash('sha256').update(JSON.stringify(run)).digest('hex').slice(0, 24)
    writeFileSync(`${file}.report-runs.ndjson`, `${line}\n${JSON.stringify({ ...run, check })}\n`)
    preparedWarehouse(file, 1)
    for (const _night of [1, 2]) {
      await (await openWarehouse(file, resources, { accountId: 1n })).publish()
      const reader = await openReader(file, { settings: defaultSettings })
      expect((await reader.query('select count(*)::int from report_runs')).rows).toEqual([[figures]])
      reader.close()
    }
  })
})
