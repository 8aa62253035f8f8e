import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, test } from 'vitest'
import { exportWarehouse } from '../../../src/cli/export/export-warehouse.ts'
import { resources } from '../../../src/resources/index.ts'
import { warehouseFiles } from '../../../src/warehouse/file/files.ts'
import { noteReportRun } from '../../../src/warehouse/read/report-runs.ts'
import { publishAll } from '../../../src/warehouse/warehouse.ts'
import { run } from '../../support/cli.ts'
import { listening } from '../../support/console.ts'
import { openWarehouse } from '../../support/storage.ts'
import { preparedWarehouse } from '../../support/warehouse.ts'
import { exportWorld, RUN } from './export-world.ts'

const { folder, exported, query, columnsOf } = exportWorld()

/** The fields of a Data Package (https://datapackage.org) that an export writes. */
interface DataPackage {
  resources: {
    name: string
    path: string | string[]
    format: string
    description: string
    schema: { fields: { name: string; type: string; duckdb: string; unit?: string; description?: string }[] }
  }[]
}

test('the datapackage.json of an export describes every table and column', async () => {
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

test('the export of an empty table keeps the columns in Parquet and CSV', async () => {
  const out = join(folder, 'empty')
  const empty = join(folder, 'empty.duckdb')
  preparedWarehouse(empty, 1)
  const opened = await openWarehouse(empty, resources, { accountId: 1n })
  await opened.publish()
  const context = listening({ warehouse: empty })
  expect(await exportWarehouse(context, [], { format: 'parquet,csv', to: out, bom: true })).toBe(0)
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

test('an export with `--account` contains only rows of that account', async () => {
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
    run(['export', ...args, '--warehouse', place, '--to', join(folder, name), '--format', 'parquet,ndjson'])
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
    err: expect.stringContaining('The warehouse has no account "EMAE".'),
  })
  expect(existsSync(join(folder, 'none'))).toBe(false)
})
