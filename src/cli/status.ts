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
import { scheduleState, scheduleText } from './schedule-state.ts'
import { textTable } from './text-table.ts'

/** What an account is called: its name in the configuration, else its number. */
const ACCOUNT = `coalesce(accounts.name, account_id::varchar)`

/** The last five runs of each account. A run that is still open in a file that nobody writes was broken off. */
const RUNS = `
select run_id, ${ACCOUNT} as account, started_at, if(status = 'running', 'interrupted', status) as status, as_of_at,
  rows_read, rows_written, requests, throttled, seconds, message
from sync_runs left join accounts using (account_id)
qualify row_number() over (partition by account_id order by run_id desc) <= 5
order by run_id desc`

/** `faultline status`: the last runs, how fresh each resource is, what did not fit, and what comes next. */
export async function statusCommand(context: Context, flags: { json?: boolean }): Promise<number> {
  const config = loadConfig(context.overrides)
  const { settings } = config
  const reader = await openReader(config.warehouse, { memoryLimit: config.sync.memoryLimit, settings })
  try {
    const runs = (await unpublishedRuns(context, config)) ?? (await objects(reader, RUNS))
    const freshness = await freshnessOf(reader)
    const [waiting] = await objects(reader, 'select count(*) as records from quarantine')
    const quarantined = waiting?.records ?? 0n
    const schedule = scheduleState(config, Date.now())
    if (flags.json) {
      const state = { warehouse: config.warehouse, runs, freshness, quarantined, schedule }
      context.console.out(stringifyJson(state))
    } else {
      context.console.out(statusText(config.warehouse, runs, freshness, quarantined))
      if (schedule) context.console.out(['', ...scheduleText(schedule)].map(cleanForTerminal).join('\n'))
    }
    const isWell = newestRuns(runs, config).every((run) => run.status === 'ok')
    return isWell && (schedule === null || schedule.problems.length === 0) ? 0 : 1
  } finally {
    reader.close()
  }
}

/** The last run of each account that is configured; of an account without a name, and of none, all count. */
function newestRuns(runs: readonly Row[], { accounts }: Config): Row[] {
  const names = new Set<Cell | undefined>(accounts.map(({ name }) => name))
  const newest = new Map<Cell | undefined, Row>()
  for (const run of runs) if (!newest.has(run.account)) newest.set(run.account, run)
  const all = [...newest.values()]
  const configured = all.filter(({ account }) => names.has(account))
  return configured.length > 0 ? configured : all
}

/** The runs in the sync's own file: one that failed never gets to the published copy. Undefined while a sync writes. */
async function unpublishedRuns(context: Context, config: Config): Promise<Row[] | undefined> {
  const { working } = warehouseFiles(config.warehouse)
  if (!existsSync(working)) return undefined
  try {
    const { memoryLimit } = config.sync
    const reader = await openReader(working, { memoryLimit, settings: config.settings })
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

/** One row per account and resource; `known` are accounts that were ever synced, by the name they have now. */
async function freshnessOf(reader: Reader): Promise<Row[]> {
  const parts = resources.map(
    ({ table }, place) => `
    select known.account, '${table}' as resource, ${place} as place,
           (select count(*) from "${table}" t where t.account_id = known.account_id) as rows,
           (select max(updated_at) from reads where reads.account_id = known.account_id and resource = '${table}'
              and state = 'done') as last_read_at,
           (select count(*) from reads where reads.account_id = known.account_id and resource = '${table}'
              and state <> 'done' and run_id = known.run_id) as windows_not_done
    from known`,
  )
  return objects(
    reader,
    `with known as (
       select account_id, max(run_id) as run_id, any_value(${ACCOUNT}) as account
       from sync_runs left join accounts using (account_id) where account_id is not null group by account_id
     ),
     reads as (select sync_windows.*, account_id from sync_windows join sync_runs using (run_id))
     select * exclude (place) from (${parts.join(' union all ')}) order by account, place`,
  )
}

function statusText(path: string, runs: Row[], freshness: Row[], quarantined: Cell): string {
  const isShared = new Set([...runs, ...freshness].map(({ account }) => account)).size > 1
  const whose = (row: Row) => (isShared ? [cleanForTerminal(String(row.account))] : [])
  const column = isShared ? ['account'] : []
  const runRows = runs.map((run) => [
    String(run.run_id),
    ...whose(run),
    instant(run.started_at),
    String(run.status),
    instant(run.as_of_at),
    String(run.rows_read ?? ''),
    String(run.rows_written ?? ''),
    String(run.requests ?? ''),
    String(run.throttled ?? ''),
    typeof run.seconds === 'number' ? run.seconds.toFixed(1) : '',
  ])
  const number = [true, ...column.map(() => false), false, false, false, true, true, true, true, true]
  const lines = [`Warehouse ${path}`, '']
  lines.push(
    ...textTable(
      [
        ['run', ...column, 'started', 'status', 'as of', 'read', 'written', 'requests', '429', 'seconds'],
        ...runRows,
      ],
      number,
    ),
    '',
    ...textTable(
      [
        [...column, 'resource', 'rows', 'last read', 'windows not done'],
        ...freshness.map((row) => [
          ...whose(row),
          String(row.resource),
          String(row.rows),
          instant(row.last_read_at),
          String(row.windows_not_done),
        ]),
      ],
      [...column.map(() => false), false, true, false, true],
    ),
  )
  const newest = new Map<Cell | undefined, Row>()
  for (const run of runs.toReversed()) newest.set(run.account, run)
  for (const run of newest.values()) {
    if (typeof run.message !== 'string' || run.message === '') continue
    lines.push('', `Last run${isShared ? ` of ${whose(run)[0]}` : ''}: ${cleanForTerminal(run.message)}`)
  }
  if (Number(quarantined) > 0)
    lines.push('', `${quarantined} records do not fit: see \`faultline quarantine\`.`)
  return lines.join('\n')
}

function instant(value: Cell | undefined): string {
  return value instanceof Date ? `${value.toISOString().slice(0, 19).replace('T', ' ')}Z` : '-'
}
