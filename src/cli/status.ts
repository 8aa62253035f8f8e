import { existsSync } from 'node:fs'
import { type Config, loadConfig } from '../config.ts'
import { stringifyJson } from '../contract/json.ts'
import { WarehouseError } from '../errors.ts'
import { cleanForTerminal } from '../render/clean.ts'
import { resources } from '../resources/index.ts'
import type { Cell } from '../warehouse/cell.ts'
import { warehouseFiles } from '../warehouse/files.ts'
import { openReader, type Reader } from '../warehouse/reader.ts'
import type { Context } from './context.ts'
import { textTable } from './text-table.ts'

/** A run that is still open in a file that nobody writes was broken off. */
const RUNS = `
select run_id, started_at, if(status = 'running', 'interrupted', status) as status, as_of_at, rows_read, rows_written, requests, throttled, seconds, message
from sync_runs order by run_id desc limit 5`

/** `faultline status`: the last runs, how fresh each resource is, and what did not fit. */
export async function statusCommand(context: Context, flags: { json?: boolean }): Promise<number> {
  const config = loadConfig(context.overrides)
  const reader = await openReader(config.warehouse, { memoryLimit: config.sync.memoryLimit })
  try {
    const runs = (await unpublishedRuns(context, config)) ?? (await objects(reader, RUNS))
    const freshness = await freshnessOf(reader)
    const [waiting] = await objects(reader, 'select count(*) as records from quarantine')
    const quarantined = waiting?.records ?? 0n
    if (flags.json)
      context.console.out(stringifyJson({ warehouse: config.warehouse, runs, freshness, quarantined }))
    else context.console.out(statusText(config.warehouse, runs, freshness, quarantined))
    return runs[0]?.status === 'ok' ? 0 : 1
  } finally {
    reader.close()
  }
}

/** The runs in the sync's own file: one that failed never gets to the published copy. Undefined while a sync writes. */
async function unpublishedRuns(context: Context, config: Config): Promise<Row[] | undefined> {
  const { working } = warehouseFiles(config.warehouse)
  if (!existsSync(working)) return undefined
  try {
    const reader = await openReader(working, { memoryLimit: config.sync.memoryLimit })
    try {
      return await objects(reader, RUNS)
    } finally {
      reader.close()
    }
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error
    context.console.note(
      `${working} is in use or cannot be read: the runs since the last published one are not shown.`,
    )
    return undefined
  }
}

type Row = Record<string, Cell>

async function objects(reader: Reader, sql: string): Promise<Row[]> {
  const { columns, rows } = await reader.query(sql)
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column.name, row[index]!])))
}

async function freshnessOf(reader: Reader): Promise<Row[]> {
  const parts = resources.map(
    ({ table }) => `
    select '${table}' as resource, (select count(*) from "${table}") as rows,
           (select max(updated_at) from sync_windows where resource = '${table}' and state = 'done') as last_read_at,
           (select count(*) from sync_windows w where w.resource = '${table}' and w.state <> 'done'
              and w.run_id = (select max(run_id) from sync_runs)) as windows_not_done`,
  )
  return objects(reader, parts.join(' union all '))
}

function statusText(path: string, runs: Row[], freshness: Row[], quarantined: Cell): string {
  const runRows = runs.map((run) => [
    String(run.run_id),
    instant(run.started_at),
    String(run.status),
    instant(run.as_of_at),
    String(run.rows_read ?? ''),
    String(run.rows_written ?? ''),
    String(run.requests ?? ''),
    String(run.throttled ?? ''),
    typeof run.seconds === 'number' ? run.seconds.toFixed(1) : '',
  ])
  const number = [true, false, false, false, true, true, true, true, true]
  const lines = [`Warehouse ${path}`, '']
  lines.push(
    ...textTable(
      [['run', 'started', 'status', 'as of', 'read', 'written', 'requests', '429', 'seconds'], ...runRows],
      number,
    ),
    '',
    ...textTable(
      [
        ['resource', 'rows', 'last read', 'windows not done'],
        ...freshness.map((row) => [
          String(row.resource),
          String(row.rows),
          instant(row.last_read_at),
          String(row.windows_not_done),
        ]),
      ],
      [false, true, false, true],
    ),
  )
  const message = runs[0]?.message
  if (typeof message === 'string' && message !== '') lines.push('', `Last run: ${cleanForTerminal(message)}`)
  if (Number(quarantined) > 0) lines.push('', `${quarantined} records did not fit; see the table quarantine.`)
  return lines.join('\n')
}

function instant(value: Cell | undefined): string {
  return value instanceof Date ? `${value.toISOString().slice(0, 19).replace('T', ' ')}Z` : '-'
}
