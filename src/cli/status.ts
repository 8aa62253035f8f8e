import { type Config, loadConfig } from '../config/config.ts'
import { stringifyJson } from '../contract/json.ts'
import { errorText } from '../errors.ts'
import { cleanForTerminal } from '../render/sanitize-text.ts'
import { resources } from '../resources/index.ts'
import { type Health, readHealth } from '../schedule/health.ts'
import { diagnose } from '../schedule/health-problems.ts'
import { resolveStorage } from '../sdk/resolve-storage.ts'
import { NoWarehouse } from '../warehouse/file/files.ts'
import type { Published } from '../warehouse/published.ts'
import type { Cell } from '../warehouse/read/cell.ts'
import { openReader, type Reader } from '../warehouse/read/reader.ts'
import { countRows } from '../warehouse/read/resource-rows.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import { readWorkingFiles, whyUnread } from '../warehouse/read/working-files.ts'
import type { Context } from './context.ts'
import { judgedRuns } from './run-history.ts'
import { readProgress } from './sync/progress-file.ts'
import { instant, textTable } from './text-table.ts'

const RUNS = 'from runs where recency <= 5 order by started_at desc'

export async function showStatus(
  context: Context,
  { json }: { readonly json?: boolean | undefined },
): Promise<number> {
  const config = loadConfig(context.overrides)
  const { settings } = config
  const options = { memoryLimit: config.sync.memoryLimit, settings }
  const storage = await resolveStorage(config.warehouse)
  const reader = await openReader(storage, options).catch((error: unknown) => {
    if (error instanceof NoWarehouse) return error
    throw error
  })
  if (reader instanceof NoWarehouse) return firstSync(context, config, storage, { json, nothing: reader })
  context.console.warn(reader.notice)
  try {
    const runs = await allRuns(context, config, storage, reader)
    const freshness = await freshnessOf(reader)
    const quarantined = freshness.reduce((sum, { waiting }) => sum + Number(waiting), 0)
    const unconfigured = unconfiguredOf(freshness, config)
    const schedule = scheduleState(config, Date.now())
    if (json) {
      const state = { warehouse: config.warehouse, runs, freshness, quarantined, unconfigured, schedule }
      context.console.out(stringifyJson(state))
    } else {
      context.console.out(statusText(config, runs, freshness, quarantined))
      if (unconfigured.length > 0) context.console.out(['', ...unconfiguredText(unconfigured)].join('\n'))
      if (schedule)
        context.console.out(['', ...scheduleText(schedule, config)].map(cleanForTerminal).join('\n'))
    }
    const isWell = newestRuns(runs, config).every((run) => run.status === 'ok')
    return isWell && (schedule === null || schedule.problems.length === 0) ? 0 : 1
  } finally {
    reader.close()
  }
}

/** Shows the progress or the stored rows of the first sync, before anything is published. */
async function firstSync(
  { console }: Context,
  config: Config,
  storage: Published,
  { json, nothing }: { readonly json?: boolean | undefined; readonly nothing: NoWarehouse },
): Promise<number> {
  const { warehouse, settings, sync } = config
  const all = await readWorkingFiles(
    storage,
    { memoryLimit: sync.memoryLimit, settings },
    async (reader) => ({
      runs: objectsOf(await reader.query(RUNS)),
      freshness: await freshnessOf(reader),
    }),
  )
  if (all.length === 0) throw nothing
  const found = all.flatMap((one) => one.found ?? [])
  const stored = found.flatMap((one) => one.runs)
  const runs = judgedRuns(storage, stored, [])
  const freshness = found.flatMap((one) => one.freshness)
  const quarantined = freshness.reduce((sum, { waiting }) => sum + Number(waiting), 0)
  for (const why of whyUnread(all)) console.note(`${why}.`)
  const stands = found.length < all.length ? underWay(storage) : null
  const schedule = scheduleState(config, Date.now())
  console.note(errorText(nothing))
  if (json) {
    const state = { warehouse, published: false, under_way: stands, runs, freshness, quarantined, schedule }
    console.out(stringifyJson(state))
    return 1
  }
  if (stands !== null) console.out(stands)
  if (runs.length > 0) console.out(statusText(config, runs, freshness, quarantined))
  if (schedule) console.out(['', ...scheduleText(schedule, config)].map(cleanForTerminal).join('\n'))
  return 1
}

function underWay(storage: Published): string | null {
  const under = readProgress(storage)
  return under === undefined
    ? null
    : cleanForTerminal(`A sync is running (process ${under.pid}), at ${under.at}: ${under.line}`)
}

/**
 * Returns the last run of each account in the configuration. If the configuration names none, returns the last run of
 * every account.
 */
function newestRuns(runs: readonly Row[], { accounts }: Config): Row[] {
  const names = new Set<Cell | undefined>(accounts.map(({ name }) => name))
  const newest = new Map<Cell | undefined, Row>()
  for (const run of runs) if (!newest.has(run.account)) newest.set(run.account, run)
  const all = [...newest.values()]
  const configured = all.filter(({ account }) => names.has(account))
  return configured.length > 0 ? configured : all
}

/** Returns the last runs of each account. Working files also contain failed runs, but cannot be read during a sync. */
async function allRuns(
  context: Context,
  { settings, sync }: Config,
  storage: Published,
  published: Reader,
): Promise<Row[]> {
  const options = { memoryLimit: sync.memoryLimit, settings }
  const own = await readWorkingFiles(storage, options, async (reader) => objectsOf(await reader.query(RUNS)))
  for (const why of whyUnread(own))
    context.console.note(`${why}: runs since its last published run are not shown.`)
  const stands = own.some(({ found }) => found === undefined) ? underWay(storage) : null
  if (stands !== null) context.console.note(stands)
  const read = new Set(own.flatMap(({ accountId, found }) => (found ? [accountId] : [])))
  const told = objectsOf(await published.query(RUNS))
  const others = told.filter((run) => !read.has(run.account_id as bigint))
  const startedAt = (run: Row) => (run.started_at instanceof Date ? run.started_at.getTime() : 0)
  const ours = own.flatMap(({ found }) => found ?? [])
  return [...judgedRuns(storage, ours, told), ...others].sort((a, b) => startedAt(b) - startedAt(a))
}

type Row = Record<string, Cell>

/** Returns the view `freshness` with row counts. Includes resources that were never synced. */
async function freshnessOf(reader: Reader): Promise<Row[]> {
  const counts = await countRows(reader, resources)
  const fresh = objectsOf(await reader.query('from freshness order by account'))
  const accounts = new Map(fresh.map(({ account_id = null, account = null }) => [account_id, account]))
  return [...accounts].flatMap(([account_id, account]) =>
    resources.map(({ table }) => ({
      ...{ account_id, account, resource: table, last_read_at: null },
      ...{ windows_not_done: 0n, windows_accepted: 0n, waiting: 0n, private_ids: 0n },
      ...fresh.find((row) => row.account_id === account_id && row.resource === table),
      rows: counts.get(`${table} ${account_id}`) ?? 0n,
    })),
  )
}

/**
 * Returns accounts that have rows but are not in the configuration. Empty if the configuration has an unnamed account.
 */
function unconfiguredOf(
  freshness: readonly Row[],
  { accounts }: Config,
): Pick<Row, 'account_id' | 'account'>[] {
  if (accounts.some(({ name }) => name === undefined)) return []
  const seen = new Map(freshness.map(({ account_id = null, account = null }) => [account_id, account]))
  return [...seen]
    .filter(([id, name]) => !accounts.some((one) => one.name === name || one.accountId === id))
    .map(([account_id, account]) => ({ account_id, account }))
}

function unconfiguredText(unconfigured: ReturnType<typeof unconfiguredOf>): string[] {
  return unconfigured.map(
    ({ account_id, account }) =>
      `${cleanForTerminal(String(account))} (account ${account_id}) is no longer configured, but its rows remain in reports. Delete them with \`faultline account remove ${account_id}\`.`,
  )
}

function statusText(
  { warehouse, timezone }: Config,
  runs: Row[],
  freshness: Row[],
  quarantined: Cell,
): string {
  const isShared = new Set([...runs, ...freshness].map(({ account }) => account)).size > 1
  const whose = (row: Row) => (isShared ? [cleanForTerminal(String(row.account))] : [])
  const column = isShared ? ['account'] : []
  const runRows = runs.map((run) => [
    String(run.run_id),
    ...whose(run),
    instant(run.started_at, timezone),
    String(run.status),
    instant(run.as_of_at, timezone),
    String(run.rows_read ?? ''),
    String(run.rows_written ?? ''),
    String(run.requests ?? ''),
    String(run.throttled ?? ''),
    typeof run.seconds === 'number' ? run.seconds.toFixed(1) : '',
  ])
  const number = [true, ...column.map(() => false), false, false, false, true, true, true, true, true]
  const lines = [`Warehouse ${warehouse}`, '']
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
        [...column, 'resource', 'rows', 'last read', 'incomplete windows'],
        ...freshness.map((row) => [
          ...whose(row),
          String(row.resource),
          String(row.rows),
          instant(row.last_read_at, timezone),
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
    lines.push('', `${quarantined} quarantined records: see \`faultline quarantine\`.`)
  const hidden = freshness.filter(({ private_ids: ids }) => Number(ids) > 0)
  if (hidden.length > 0) {
    const counts = hidden.map((row) => [...whose(row), `${row.private_ids} of ${row.resource}`].join(': '))
    lines.push('', `Private, not readable with this key: ${counts.join(', ')}. They are retried each week.`)
  }
  return lines.join('\n')
}

interface ScheduleState {
  readonly state: Health['state']
  readonly next: Readonly<Record<string, string | null>>
  /** A stopped schedule is not a problem, because syncs can be started by other means. */
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

function scheduleState(config: Config, now: number): ScheduleState | null {
  const health = readHealth(config.schedule.healthFile)
  if (!health) return null
  const { problems, warnings } = diagnose(health, now)
  const next = Object.entries(health.jobs).map(([name, job]) => [name, job.nextRunAt])
  return {
    state: health.state,
    next: Object.fromEntries(next),
    problems: health.state === 'stopped' ? [] : problems,
    warnings,
  }
}

function scheduleText({ state, next, problems, warnings }: ScheduleState, { timezone }: Config): string[] {
  if (state === 'stopped') return ['Schedule: stopped.']
  const times = Object.entries(next).flatMap(([name, at]) =>
    at === null ? [] : [`${name} ${instant(new Date(at), timezone)}`],
  )
  return [`Schedule: ${state}; next ${times.join(', ')}`, ...problems, ...warnings]
}
