import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXPORT_FORMATS } from '../../../src/cli/export/export-table.ts'
import { exportWarehouse } from '../../../src/cli/export/export-warehouse.ts'
import { warehouseFiles } from '../../../src/warehouse/file/files.ts'
import { noteReportRun } from '../../../src/warehouse/read/report-runs.ts'
import { listening } from '../../support/console.ts'
import { epoch } from '../../support/service.ts'
import { all, big, exportWorld, RUN } from './export-world.ts'

const { folder, warehouse, exported, query, differences, columnsOf } = exportWorld()
const written = [
  'incidents',
  'incident_versions',
  'incident_responders',
  'members',
  'folder_rule_status',
  'sync_windows',
]

describe('an export of views that depend on the configuration', () => {
  const config = join(folder, 'strict.json')
  beforeAll(() => {
    const targets = { Critical: { ack: '2m' } }
    writeFileSync(config, JSON.stringify({ warehouse, reporting: { targets } }))
    noteReportRun(warehouseFiles(warehouse), RUN, { version: '1.2.3', now: epoch * 1_000 })
  })
  afterAll(() => rmSync(warehouseFiles(warehouse).reportRuns))

  test.each(EXPORT_FORMATS)(
    'contains the current targets and report runs in the format %s',
    async (format) => {
      const context = listening({ config })
      const names = ['config_targets', 'report_runs']
      const out = join(folder, 'present')
      expect(await exportWarehouse(context, names, { json: true, format, to: out })).toBe(0)
      const read = (table: string) =>
        query(
          `select * from ${format === 'ndjson' ? 'read_json' : `read_${format}`}('${out}/${table}.${format}')`,
        )
      const [[severity, ack] = []] = await read('config_targets')
      expect([severity, Number(ack)]).toEqual(['Critical', 120])
      expect(await read('report_runs')).toHaveLength(1)
    },
  )
})

describe('an export', () => {
  test('can be read back unchanged from Parquet files per incident month', async () => {
    const exports = await exported()
    expect(exports.map(({ table }) => table).sort()).toEqual(all)
    const months = readdirSync(join(folder, 'out/incidents')).sort()
    expect(months).toEqual([
      'month=2023-11',
      'month=2023-12',
      'month=2024-01',
      'month=2024-02',
      'month=2024-03',
    ])
    expect(readdirSync(join(folder, 'out/incident_responders')).sort()).toEqual(months)
    expect(readdirSync(join(folder, 'out/incident_versions'))).toEqual(months.slice(0, 1))
    for (const table of written) {
      const { files } = exports.find((one) => one.table === table)!
      const list = files.map((file) => `'${join(folder, 'out', file)}'`).join(', ')
      if (files.length === 0) continue
      const names = (await columnsOf(table)).map(([column]) => `"${column}"`).join(', ')
      const read = `select ${names} from read_parquet([${list}], hive_partitioning = true)`
      const there = `select ${names} from w.${table}`
      expect(await differences(read, there), table).toEqual([])
      expect(await query(`select column_type from (describe ${read})`), table).toEqual(
        await query(`select column_type from (describe ${there})`),
      )
    }
    const wrong = await query(
      `select count(*) from read_parquet('${folder}/out/incidents/**/*.parquet', hive_partitioning = true) where strftime(start_time, '%Y-%m') <> month`,
    )
    expect(wrong).toEqual([['0']])
  })

  test('can be read back unchanged from JSON lines', async () => {
    await exported([], { format: 'ndjson' })
    for (const table of written) {
      const columns = await columnsOf(table)
      const types = columns.map(([column, type]) => `'${column}': '${type}'`).join(', ')
      const file = join(folder, 'out', `${table}.ndjson`)
      const read = `select * from read_json('${file}', format = 'newline_delimited', columns = {${types}})`
      // JSON may be written with other white space.
      const same = columns.map(([column, type]) =>
        type === 'JSON' ? `"${column}"::json::varchar` : `"${column}"`,
      )
      expect(
        await differences(`select ${same} from (${read})`, `select ${same} from w.${table}`),
        table,
      ).toEqual([])
    }
    const line = JSON.parse(readFileSync(join(folder, 'out/incidents.ndjson'), 'utf8').split('\n')[0]!)
    expect(line.start_time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/)
    expect(readFileSync(join(folder, 'out/members.ndjson'), 'utf8')).toContain(`"member_id":${big}`)
  })

  test('can be read back as text from CSV', async () => {
    await exported([], { format: 'csv' })
    for (const table of written) {
      const columns = await columnsOf(table)
      const file = join(folder, 'out', `${table}.csv`)
      const text = columns.map(([column, type]) => {
        const value =
          type === 'TIMESTAMP WITH TIME ZONE'
            ? `strftime("${column}", '%Y-%m-%dT%H:%M:%S.%gZ')`
            : type.endsWith('[]')
              ? `to_json("${column}")::varchar`
              : `"${column}"::varchar`
        return `coalesce(${value}, '')`
      })
      const read = `select coalesce(columns(*), '') from read_csv('${file}', header = true, all_varchar = true, auto_detect = false, columns = {${columns
        .map(([column]) => `'${column}': 'VARCHAR'`)
        .join(', ')}}, delim = ',', quote = '"', escape = '"', new_line = '\\r\\n')`
      expect(await differences(read, `select ${text.join(', ')} from w.${table}`), table).toEqual([])
    }
    expect(readFileSync(join(folder, 'out/incidents.csv'), 'utf8')).toContain(
      `"=HYPERLINK(""http://x"",""y"")"`,
    )
  })

  test('escapes CSV cells that a spreadsheet would run as formulas, with `escapeFormulas`', async () => {
    await exported(['incidents'], { format: 'csv', escapeFormulas: true })
    const csv = readFileSync(join(folder, 'out/incidents.csv'), 'utf8')
    expect(csv).toContain(`"'=HYPERLINK(""http://x"",""y"")"`)
    expect(csv).not.toMatch(/(^|,)"?[=@]/m)
    expect(csv.split('\r\n')[0]).toBe((await columnsOf('incidents')).map(([column]) => column).join(','))
  })

  test('contains only the requested tables and views in the requested formats', async () => {
    const exports = await exported(['members', 'incident_times'], { format: 'csv,parquet,csv' })
    expect(exports.map(({ table, format, rows }) => [table, format, rows])).toEqual([
      ['members', 'csv', 1],
      ['members', 'parquet', 1],
      ['incident_times', 'csv', 60],
      ['incident_times', 'parquet', 60],
    ])
    const there = readdirSync(join(folder, 'out')).sort()
    expect(there).toEqual([
      'datapackage.json',
      'incident_times.csv',
      'incident_times.parquet',
      'manifest.json',
      'members.csv',
      'members.parquet',
    ])
    expect(JSON.parse(readFileSync(join(folder, 'out/manifest.json'), 'utf8'))).toMatchObject({ exports })
  })
})
