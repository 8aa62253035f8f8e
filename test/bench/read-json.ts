import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { incidents } from '../../dist/resources/incidents.js'

/**
 * What DuckDB alone does with the same records: `read_json` of one file of lines, with every column's type given, into a
 * table, committed and checkpointed. No validation, no key, no children, no look at what is there: the ceiling.
 */
export async function readJson(pages: readonly Buffer[], folder: string, memoryLimit: string) {
  const file = join(folder, 'records.ndjson')
  const lines = openSync(file, 'w')
  for (const page of pages) {
    const { data } = JSON.parse(page.toString('utf8')) as { data: { items: object[] } }
    for (const item of data.items) writeSync(lines, `${JSON.stringify(item)}\n`)
  }
  closeSync(lines)
  const instance = await DuckDBInstance.create(join(folder, 'ceiling.duckdb'), { memory_limit: memoryLimit })
  const connection = await instance.connect()
  const types = incidents.columns.map(
    ({ name, type }) => `'${name}': '${type === 'TIMESTAMPTZ' ? 'BIGINT' : type}'`,
  )
  const columns = `{${[...types, "'responders': 'JSON'"].join(', ')}}`
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await connection.run(
    `create table records as select * from read_json('${file}', format = 'newline_delimited', columns = ${columns})`,
  )
  await connection.run('checkpoint')
  const seconds = (performance.now() - startedAt) / 1_000
  const cpu = process.cpuUsage(cpuBefore)
  const [[rows]] = (await connection.runAndReadAll('select count(*)::int from records')).getRows() as [
    [number],
  ]
  connection.closeSync()
  instance.closeSync()
  return {
    read_json: rows,
    seconds: Math.round(seconds * 100) / 100,
    cpu_us_per_row: Math.round((cpu.user + cpu.system) / rows),
    rows_per_s: Math.round(rows / seconds),
    file_mb: Math.round(statSync(file).size / 1e6),
  }
}
