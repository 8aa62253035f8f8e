import { closeSync, openSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { incidents } from '../../dist/resources/incidents.js'
import { resources } from '../../dist/resources/index.js'
import { createTables } from '../../dist/warehouse/schema/create.js'

export function writeLines(pages: readonly Buffer[], file: string): void {
  const lines = openSync(file, 'w')
  for (const page of pages) {
    const { data } = JSON.parse(page.toString('utf8')) as { data: { items: object[] } }
    for (const item of data.items) writeSync(lines, `${JSON.stringify(item)}\n`)
  }
  closeSync(lines)
}

/** Measures how fast DuckDB alone loads the same records. Both variants are committed and checkpointed. */
export async function readJson(file: string, folder: string, memoryLimit: string) {
  return {
    read_json_into_a_table: await timed(join(folder, 'plain.duckdb'), memoryLimit, plain(file)),
    read_json_into_our_tables: await timed(join(folder, 'ours.duckdb'), memoryLimit, ours(file)),
    memory: memoryLimit,
    file_mb: Math.round(statSync(file).size / 1e6),
  }
}

/** Loads the raw fields into one table, with responders as JSON. */
function plain(file: string): string {
  return `create table incidents as select * from ${read(file, { ...TYPES, responders: 'JSON' })}`
}

/** Loads the tables that a sync fills, but does not validate records or compare them with stored rows. */
function ours(file: string): string {
  const { account_id: account, ...own } = Object.fromEntries(
    incidents.columns.map(({ name, type }) => [
      name,
      type === 'TIMESTAMPTZ' ? time(`"${name}"`) : `"${name}"`,
    ]),
  )
  const values = Object.entries(own).map(([name, value]) => `${value} as "${name}"`)
  const [{ columns }] = incidents.children
  const parts = columns.map(({ name, type }) => `"${name}" ${type === 'TIMESTAMPTZ' ? 'BIGINT' : type}`)
  const responders = `STRUCT(${parts.join(', ')})[]`
  const elements = columns.map(({ name, type }) => {
    const value = `r."${name}"`
    return `${type === 'TIMESTAMPTZ' ? time(value) : value} as "${name}"`
  })
  const keys = { account_id: 'BIGINT', incident_id: 'VARCHAR', responders }
  return `
    begin transaction;
    insert into incidents by name
    select ${account} as account_id, ${values}, hash(${Object.keys(own).map((name) => `"${name}"`)}, responders) as _hash,
      now() as _seen_at, 1 as _run_id
    from ${read(file, { ...TYPES, responders: 'JSON' })};
    insert into incident_responders by name
    select account_id, incident_id, ordinal, ${elements}
    from (
      select account_id, incident_id, unnest(responders) as r, unnest(range(len(responders))) as ordinal
      from ${read(file, keys)}
    );
    commit`
}

const TYPES = Object.fromEntries(
  incidents.columns.map(({ name, type }) => [name, type === 'TIMESTAMPTZ' ? 'BIGINT' : type]),
)

function read(file: string, types: Record<string, string>): string {
  const columns = Object.entries(types).map(([name, type]) => `'${name}': '${type}'`)
  return `read_json('${file}', format = 'newline_delimited', columns = {${columns.join(', ')}})`
}

function time(seconds: string): string {
  return `case when ${seconds} <> 0 then make_timestamptz(${seconds} * 1000000) end`
}

async function timed(path: string, memoryLimit: string, statements: string) {
  const instance = await DuckDBInstance.create(path, { memory_limit: memoryLimit })
  const connection = await instance.connect()
  if (statements.includes('insert')) await createTables(connection, resources)
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await connection.run(statements)
  await connection.run('checkpoint')
  const seconds = (performance.now() - startedAt) / 1_000
  const cpu = process.cpuUsage(cpuBefore)
  const found = await connection.runAndReadAll('select count(*)::int from incidents')
  const rows = found.getRows()[0]![0] as number
  connection.closeSync()
  instance.closeSync()
  return {
    rows,
    seconds: Math.round(seconds * 100) / 100,
    cpu_us_per_row: Math.round((cpu.user + cpu.system) / rows),
    rows_per_s: Math.round(rows / seconds),
  }
}
