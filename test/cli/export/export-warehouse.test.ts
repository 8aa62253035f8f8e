import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXPORT_FORMATS, type ExportedTable } from '../../../src/cli/export/export-table.ts'
import { type ExportOptions, exportWarehouse } from '../../../src/cli/export/export-warehouse.ts'
import { realEffects } from '../../../src/effects.ts'
import { ConfigError, WarehouseError } from '../../../src/errors.ts'
import { resources } from '../../../src/resources/index.ts'
import { runSync } from '../../../src/sync/run-sync.ts'
import { warehouseFiles } from '../../../src/warehouse/file/files.ts'
import { noteReportRun } from '../../../src/warehouse/read/report-runs.ts'
import { ledger } from '../../../src/warehouse/schema/ledger-tables.ts'
import { tablesOf } from '../../../src/warehouse/schema/tables.ts'
import { openWarehouse, publishAll } from '../../../src/warehouse/warehouse.ts'
import { run } from '../../support/cli.ts'
import { listening } from '../../support/console.ts'
import { DAY, epoch, fakeService, incident } from '../../support/service.ts'
import { preparedWarehouse } from '../../support/warehouse.ts'

const folder = mkdtempSync(join(tmpdir(), 'faultline-export-'))
const warehouse = join(folder, "ware'house.duckdb")
const big = 2n ** 60n + 1n

const RUN = {
  report: 'r',
  period_from: '2023-11-01',
  period_to: '2023-12-01',
  timezone: 'UTC',
  account: 'all',
  team: 'all',
  severity: 'all',
  as_of_at: '2024-06-01T00:00:00Z',
  definition: 'd',
  figures: [{ figure: 'summary.ttr', label: 'Time to resolve', value: 60, n: 3 }],
}

const HOSTILE = [
  '=HYPERLINK("http://x","y")',
  '+1',
  '-1',
  '@sum',
  '\tx',
  '\rx',
  'a,b',
  'a"b',
  'a\r\nb',
  'a\nb',
  ' x ',
  "it's",
  '日本 🔥',
  '\\N',
  'NULL',
  '',
]

/** A warehouse with four months of incidents, some of them changed between two runs. */
beforeAll(async () => {
  const service = fakeService()
  service.incidents = Array.from({ length: 60 }, (_, index) =>
    incident(index * 48, {
      channel_id: index % 2 ? big : 0,
      integration_ids: [big, 1],
      title: HOSTILE[index % HOSTILE.length],
      labels: { '=k"': HOSTILE[index % HOSTILE.length], n: big },
      integration_types: HOSTILE.slice(0, 4),
      responders: [0, 1].map((place) => ({
        person_id: big + BigInt(index),
        assigned_at: epoch,
        acknowledged_at: place * epoch,
        email: `+p${place}@x.example`,
      })),
      unheard_of: { of: [1, big] },
    }),
  )
  service.members = [
    { account_id: 1, member_id: big, member_name: '=m', status: 'enabled', created_at: 1, updated_at: 2 },
  ]
  preparedWarehouse(warehouse, 1)
  const own = await openWarehouse(warehouse, resources, { accountId: 1n })
  const run = (now: number) =>
    runSync({
      client: service.client,
      warehouse: own,
      resources,
      accountId: 1n,
      effects: realEffects(),
      concurrency: 2,
      version: '1.2.3',
      signal: new AbortController().signal,
      scope: { now, since: epoch - DAY, lookbackDays: 366, windowSeconds: 31 * DAY, full: false },
    })
  await run(epoch + 200 * DAY)
  for (const one of service.incidents.slice(0, 9)) {
    one.title = 'changed'
    one.updated_at = Number(one.updated_at) + 1
  }
  await run(epoch + 201 * DAY)
  await own.publish()
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function exported(names: string[] = [], flags: ExportOptions = {}, signal?: AbortSignal) {
  const context = listening({ warehouse })
  const out = flags.out ?? join(folder, 'out')
  const status = await exportWarehouse(signal ? { ...context, signal } : context, names, {
    json: true,
    ...flags,
    out,
  })
  expect(status).toBe(0)
  return (JSON.parse(context.results.join('')) as { exports: ExportedTable[] }).exports
}

/** Rows of a query that sees the warehouse as `w`. */
const query = async (sql: string) => (await (await beside()).runAndReadAll(sql)).getRowsJson() as unknown[][]

let opened: Promise<DuckDBConnection> | undefined
/** One connection for the queries of all tests: what is published does not change any more. */
function beside(): Promise<DuckDBConnection> {
  opened ??= (async () => {
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    await connection.run(`set TimeZone = 'UTC'`)
    await connection.run(`attach '${warehouse.replaceAll("'", "''")}' as w (read_only)`)
    return connection
  })()
  return opened
}
afterAll(async () => (await opened)?.closeSync())

/** Rows that one has and the other has not. */
const differences = (one: string, other: string) =>
  query(`(${one} except all ${other}) union all (${other} except all ${one}) limit 5`)

/** In the order of an export: as they are declared, whenever the file got them. */
const columnsOf = async (table: string) => {
  const found = (await query(
    `select column_name, data_type from duckdb_columns() where database_name = 'w' and table_name = '${table}' order by column_index`,
  )) as [string, string][]
  const declared = [...resources.flatMap(tablesOf), ...ledger].find(({ name }) => name === table)
  const order = declared?.columns.map(({ name }) => name) ?? found.map(([name]) => name)
  return found.toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
}

const all = [...resources.flatMap(tablesOf), ...ledger, { name: 'incident_times' }]
  .map(({ name }) => name)
  .sort()
const written = [
  'incidents',
  'incident_versions',
  'incident_responders',
  'members',
  'folder_rule_status',
  'sync_windows',
]

/** What `sql` and reports read: a configuration changes it at once, a run of a report too. */
describe('an export of what follows the configuration', () => {
  const config = join(folder, 'strict.json')
  beforeAll(() => {
    const targets = { Critical: { ack: '2m' } }
    writeFileSync(config, JSON.stringify({ warehouse, reporting: { targets } }))
    noteReportRun(warehouseFiles(warehouse), RUN, { version: '1.2.3', now: epoch * 1_000 })
  })
  afterAll(() => rmSync(warehouseFiles(warehouse).reportRuns))

  test.each(EXPORT_FORMATS)('as %s holds the present settings and every run', async (format) => {
    const context = listening({ config })
    const names = ['config_targets', 'report_runs']
    const out = join(folder, 'present')
    expect(await exportWarehouse(context, names, { json: true, format, out })).toBe(0)
    const read = (table: string) =>
      query(
        `select * from ${format === 'ndjson' ? 'read_json' : `read_${format}`}('${out}/${table}.${format}')`,
      )
    const [[severity, ack] = []] = await read('config_targets')
    expect([severity, Number(ack)]).toEqual(['Critical', 120])
    expect(await read('report_runs')).toHaveLength(1)
  })
})

describe('an export', () => {
  test('as Parquet reads back as it was, cut by the month of the incident', async () => {
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

  test('as JSON lines reads back as it was, every digit of it', async () => {
    await exported([], { format: 'ndjson' })
    for (const table of written) {
      const columns = await columnsOf(table)
      const types = columns.map(([column, type]) => `'${column}': '${type}'`).join(', ')
      const file = join(folder, 'out', `${table}.ndjson`)
      const read = `select * from read_json('${file}', format = 'newline_delimited', columns = {${types}})`
      // JSON may be written with other blanks.
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

  test('as CSV reads back as text, with nothing that a spreadsheet would run', async () => {
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
        const isText = /VARCHAR|JSON/.test(type)
        const lead = isText ? `if(regexp_matches(${value}, '^[=+\\-@\\t\\r]'), '''', '') || ` : ''
        return `coalesce(${lead}${value}, '')`
      })
      const read = `select coalesce(columns(*), '') from read_csv('${file}', header = true, all_varchar = true, auto_detect = false, columns = {${columns
        .map(([column]) => `'${column}': 'VARCHAR'`)
        .join(', ')}}, delim = ',', quote = '"', escape = '"', new_line = '\\r\\n')`
      expect(await differences(read, `select ${text.join(', ')} from w.${table}`), table).toEqual([])
    }
    const csv = readFileSync(join(folder, 'out/incidents.csv'), 'utf8')
    expect(csv).toContain(`"'=HYPERLINK(""http://x"",""y"")"`)
    expect(csv).not.toMatch(/(^|,)"?[=@]/m)
    expect(csv.split('\r\n')[0]).toBe((await columnsOf('incidents')).map(([column]) => column).join(','))
  })

  test('of named tables and views holds these only, in every format asked for', async () => {
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

  test('of an empty table is a header, or nothing', async () => {
    await exported(['teams'], { format: 'csv,ndjson,parquet' })
    expect(readFileSync(join(folder, 'out/teams.csv'), 'utf8')).toMatch(/^account_id,team_id,[^\r\n]*\r\n$/)
    expect(readFileSync(join(folder, 'out/teams.ndjson'), 'utf8')).toBe('')
    expect(await query(`select count(*) from '${folder}/out/teams.parquet'`)).toEqual([['0']])
  })

  test.each([
    ['a quote', `o'u"t`],
    ['a pattern', 'o[u]*t?'],
    ['blanks and lines', 'o u\nt'],
    ['other letters', 'ö日🔥'],
    ['percent and dollar', '%20$HOME'],
  ])('goes into a folder whose name has %s', async (_, name) => {
    const out = join(folder, name)
    await exported(['incidents'], { out, format: 'parquet,csv,ndjson' })
    const plain = join(folder, 'plain')
    rmSync(plain, { recursive: true, force: true })
    renameSync(out, plain)
    expect(readdirSync(plain).sort()).toEqual([
      'datapackage.json',
      'incidents',
      'incidents.csv',
      'incidents.ndjson',
      'manifest.json',
    ])
    expect(await query(`select count(*) from '${plain}/incidents/*/*.parquet'`)).toEqual([['60']])
  })
})

describe('the folder of an export', () => {
  test('is replaced as one, and keeps its permissions', async () => {
    const out = join(folder, 'again')
    await exported(['incidents'], { out })
    if (process.platform !== 'win32') {
      expect(statSync(out).mode & 0o777).toBe(0o700)
      chmodSync(out, 0o750)
    }
    await exported(['members'], { out })
    expect(readdirSync(out).sort()).toEqual(['datapackage.json', 'manifest.json', 'members.parquet'])
    if (process.platform !== 'win32') expect(statSync(out).mode & 0o777).toBe(0o750)
    expect(readdirSync(folder).filter((name) => name.startsWith('again.'))).toEqual([])
  })

  test('is never one that holds other things', async () => {
    const out = join(folder, 'mine')
    mkdirSync(out)
    writeFileSync(join(out, 'letter.txt'), 'dear')
    await expect(exported([], { out })).rejects.toThrow(ConfigError)
    expect(readdirSync(out)).toEqual(['letter.txt'])
    await expect(exported([], { out: join(out, 'letter.txt') })).rejects.toThrow(/not a folder/)
    // A web page has one too.
    writeFileSync(join(out, 'manifest.json'), '{"name":"app","icons":[]}')
    await expect(exported([], { out })).rejects.toThrow(ConfigError)
    expect(readdirSync(out)).toEqual(['letter.txt', 'manifest.json'])
    for (const name of readdirSync(out)) rmSync(join(out, name))
    await exported(['members', 'incidents'], { out, format: 'parquet,csv' })
    await exported(['members', 'incidents'], { out })
    writeFileSync(join(out, 'my-notes.txt'), 'dear')
    await expect(exported([], { out })).rejects.toThrow(ConfigError)
    expect(readdirSync(out).sort()).toEqual([
      'datapackage.json',
      'incidents',
      'manifest.json',
      'members.parquet',
      'my-notes.txt',
    ])
  })

  test('stays as it was when the export is stopped, and what a killed one left is removed by the next', async () => {
    const out = join(folder, 'kept')
    await exported(['members'], { out })
    const stopping = new AbortController()
    stopping.abort(new Error('stopped'))
    await expect(exported([], { out }, stopping.signal)).rejects.toThrow('stopped')
    expect(readdirSync(out).sort()).toEqual(['datapackage.json', 'manifest.json', 'members.parquet'])
    expect(readdirSync(folder).filter((name) => name.startsWith('kept.'))).toEqual([])

    // No process has this number.
    mkdirSync(`${out}.99999999.part/incidents`, { recursive: true })
    cpSync(out, `${out}.99999998.old`, { recursive: true })
    rmSync(out, { recursive: true })
    await expect(exported(['nothing'], { out })).rejects.toThrow(ConfigError)
    // The former export was taken away and not replaced: it is back.
    expect(readdirSync(out).sort()).toEqual(['datapackage.json', 'manifest.json', 'members.parquet'])
    await exported(['incidents'], { out })
    expect(readdirSync(folder).filter((name) => name.startsWith('kept'))).toEqual(['kept'])
  })
})

describe('what cannot be exported is an error', () => {
  test('unknown names and formats', async () => {
    await expect(exported(['incidentz'])).rejects.toMatchObject({ next: expect.stringContaining('incident') })
    await expect(exported([], { format: 'parket' })).rejects.toMatchObject({
      next: expect.stringContaining('parquet'),
    })
  })

  test('a table whose name is not a valid file name', async () => {
    const other = join(folder, 'other.duckdb')
    const instance = await DuckDBInstance.create(other)
    const connection = await instance.connect()
    await connection.run('create table "../../evil" as select 1 as a')
    await connection.run(`create table "fine" as select '=1' as "=a,b"`)
    connection.closeSync()
    instance.closeSync()
    const out = join(folder, 'evil')
    const run = (names: string[]) =>
      exportWarehouse(listening({ warehouse: other }), names, { out, format: 'csv' })
    await expect(run(['../../evil'])).rejects.toThrow(/not a valid file name/)
    expect(existsSync(out)).toBe(false)
    await run(['fine'])
    expect(readFileSync(join(out, 'fine.csv'), 'utf8')).toBe(`"'=a,b"\r\n'=1\r\n`)
  })

  test('a warehouse that is not there, or is none', async () => {
    const run = (path: string) =>
      exportWarehouse(listening({ warehouse: path }), [], { out: join(folder, 'none') })
    await expect(run(join(folder, 'none.duckdb'))).rejects.toThrow(WarehouseError)
    writeFileSync(join(folder, 'no.duckdb'), 'no database')
    await expect(run(join(folder, 'no.duckdb'))).rejects.toThrow(WarehouseError)
    expect(existsSync(join(folder, 'none'))).toBe(false)
  })
})

/** The part of a Data Package (https://datapackage.org) that is written. */
interface DataPackage {
  resources: {
    name: string
    path: string | string[]
    format: string
    description: string
    schema: { fields: { name: string; type: string; duckdb: string; unit?: string; description?: string }[] }
  }[]
}

test('a schema file says of every file of every table its columns, types, units and meanings', async () => {
  const exports = await exported([], { format: 'parquet,csv,ndjson' })
  const { resources: described } = JSON.parse(
    readFileSync(join(folder, 'out/datapackage.json'), 'utf8'),
  ) as DataPackage
  expect(described.flatMap(({ path }) => path).sort()).toEqual(exports.flatMap(({ files }) => files).sort())
  expect(new Set(described.map(({ name }) => name)).size).toBe(described.length)
  for (const { name, description, schema, format } of described) {
    const { fields } = schema
    const table = name.slice(0, -format.length - 1)
    expect(fields.map((field) => [field.name, field.duckdb])).toEqual(await columnsOf(table))
    expect([name, description.length > 10]).toEqual([name, true])
    expect(fields.filter((field) => !field.description)).toEqual([])
  }
  const fieldsOf = (name: string) =>
    Object.fromEntries(
      described.find((one) => one.name === name)!.schema.fields.map((field) => [field.name, field]),
    )
  expect(fieldsOf('incident_times.csv')).toMatchObject({
    time_to_ack_s: { type: 'number', unit: 's' },
    start_time: { type: 'datetime' },
    title: { type: 'string' },
    is_muted: { type: 'boolean' },
  })
  expect(fieldsOf('incident_times.csv').title).not.toHaveProperty('unit')
  expect(fieldsOf('incidents.parquet').integration_ids).toMatchObject({ type: 'array', duckdb: 'BIGINT[]' })
})

test('a table without rows has its columns in every format, and CSV has a mark where it is asked for', async () => {
  const out = join(folder, 'empty')
  const empty = join(folder, 'empty.duckdb')
  preparedWarehouse(empty, 1)
  const opened = await openWarehouse(empty, resources, { accountId: 1n })
  await opened.publish()
  const context = listening({ warehouse: empty })
  expect(await exportWarehouse(context, [], { format: 'parquet,csv', out, bom: true })).toBe(0)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const columns = await connection.runAndReadAll(`describe from '${out}/incident_times.parquet'`)
  expect(columns.getRows().map(([name]) => name)).toEqual(
    expect.arrayContaining(['time_to_ack_s', 'team_name']),
  )
  expect((await connection.runAndReadAll(`from '${out}/incidents/**/*.parquet'`)).getRows()).toEqual([])
  expect(readFileSync(join(out, 'incident_times.csv'), 'utf8')).toMatch(/^\ufeffincident_id,.*time_to_ack_s/)
  connection.closeSync()
  instance.closeSync()
})

test('of one account holds its rows in every table and view, and figures of reports about it alone', async () => {
  const place = join(folder, 'two.duckdb')
  preparedWarehouse(place, 7, 8)
  const opened = []
  for (const account_id of [7n, 8n]) {
    const one = await openWarehouse(place, resources, { accountId: account_id })
    await one.db
      .updateTable('accounts')
      .set({ name: account_id === 7n ? 'EMEA' : 'APAC' })
      .execute()
    const rows = Array.from({ length: Number(account_id) }, (_, index) => ({
      account_id,
      incident_id: `i${index}`,
      start_time: new Date(Date.UTC(2026, index % 3)),
    }))
    await one.db.insertInto('incidents').values(rows).execute()
    await one.db
      .insertInto('incident_responders')
      .values(rows.map(({ incident_id }) => ({ account_id, incident_id, ordinal: 0, person_id: 1n })))
      .execute()
    await one.db
      .insertInto('sync_runs')
      .values({ account_id, run_id: 1n, status: 'ok', finished_at: new Date(), as_of_at: new Date() })
      .execute()
    await one.finish()
    opened.push(one)
  }
  expect((await publishAll(opened, resources)).filter(Boolean)).toEqual([])
  for (const [index, account] of ['EMEA', 'APAC', 'EMEA, APAC', 'all'].entries())
    noteReportRun(warehouseFiles(place), { ...RUN, account }, { version: 'test', now: index })
  const to = (name: string, ...args: string[]) =>
    run(['export', ...args, '--warehouse', place, '--out', join(folder, name), '--format', 'parquet,ndjson'])
  expect(await to('emea', '--account', 'emea')).toMatchObject({ code: 0, err: '' })
  const tables = await query(
    `select distinct table_name from duckdb_columns() where column_name = 'account_id' and database_name = 'w' and not internal`,
  )
  const files = new Set(readdirSync(join(folder, 'emea')))
  for (const [table] of tables as [string][]) {
    if (!files.has(`${table}.ndjson`) || readFileSync(join(folder, 'emea', `${table}.ndjson`)).length === 0)
      continue
    const found = await query(
      `select distinct account_id from read_json('${folder}/emea/${table}.ndjson', format = 'newline_delimited')`,
    )
    expect([table, found]).toEqual([table, [['7']]])
  }
  const counts = await query(`select
    (select count(*) from '${folder}/emea/incidents/**/*.parquet'), (select count(*) from '${folder}/emea/incident_responders/**/*.parquet'),
    (select count(*) from '${folder}/emea/incident_times.parquet'), (select list(account) from '${folder}/emea/report_runs.parquet')`)
  expect(counts).toEqual([['7', '7', '7', ['EMEA']]])
  expect(await to('both', 'incidents', '--account', '8,emea')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/incidents +parquet +15 /),
  })
  expect(await to('none', '--account', 'EMAE')).toMatchObject({
    code: 2,
    err: expect.stringContaining('The warehouse holds no account "EMAE".'),
  })
  expect(existsSync(join(folder, 'none'))).toBe(false)
})
