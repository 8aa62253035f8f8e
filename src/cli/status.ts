import { type Config, loadConfig } from '../config/config.ts'
import { stringifyJson } from '../contract/json.ts'
import { errorText } from '../errors.ts'
import { cleanForTerminal } from '../render/sanitize-text.ts'
import { resources } from '../resources/index.ts'
import { readHealth } from '../schedule/health.ts'
import { diagnose } from '../schedule/health-problems.ts'
import { resolveStorage } from '../sdk/resolve-storage.ts'
import { noWarehouse } from '../warehouse/file/files.ts'
import type { Published } from '../warehouse/published.ts'
import type { Cell } from '../warehouse/read/cell.ts'
import { openIfThere, type Reader } from '../warehouse/read/reader.ts'
import { countRows } from '../warehouse/read/resource-rows.ts'
import { objectsOf } from '../warehouse/read/rows-to-objects.ts'
import { readWorkingFiles, whyUnread } from '../warehouse/read/working-files.ts'
import type { Flags } from './command.ts'
import type { Console } from './console.ts'
import type { Context } from './context.ts'
import { mergeRuns, type RunRow as Row } from './run-history.ts'
import { readProgress } from './sync/progress-file.ts'
import { instant, textTable } from './text-table.ts'

const RUNS = 'from runs where recency <= 5 order by started_at desc'

/** Returns exit status 1 if nothing was published, or if a run or the schedule has a problem. */
export async function showStatus(context: Context, { json }: Flags<'json'>): Promise<number> {
  const { console } = context
  const config = loadConfig(context.overrides)
  const storage = await resolveStorage(config.warehouse)
  const options = { memoryLimit: config.sync.memoryLimit, settings: config.settings }
  const reader = await openIfThere(storage, options)
  if (reader === undefined) return firstSync(console, config, storage, json)
  console.warn(reader.notice)
  try {
    const own = await readWorkingFiles(storage, options, runsIn)
    for (const why of whyUnread(own)) console.note(`${why}: runs since its last published run are not shown.`)
    const progress = progressText(storage, own)
    if (progress !== null) console.note(progress)
    const runs = mergeRuns(storage, own, await runsIn(reader))
    const freshness = await freshnessOf(reader)
    const quarantined = sumOf(freshness)
    const unconfigured = unconfiguredOf(freshness, config)
    const schedule = scheduleState(config, Date.now())
    if (json) {
      const state = { warehouse: config.warehouse, runs, freshness, quarantined, unconfigured, schedule }
      console.out(stringifyJson(state))
    } else {
      console.out(statusText(config, runs, freshness))
      if (unconfigured.length > 0) console.out(['', ...unconfiguredText(unconfigured)].join('\n'))
      if (schedule) console.out(scheduleText(schedule, config))
    }
    const isWell = configuredRuns(runs, config).every((run) => run.status === 'ok')
    return isWell && (schedule === null || schedule.problems.length === 0) ? 0 : 1
  } finally {
    reader.close()
  }
}

/** Shows the progress and the stored rows of the first sync, while nothing is published yet. */
async function firstSync(
  console: Console,
  config: Config,
  storage: Published,
  json = false,
): Promise<number> {
  const { warehouse, settings, sync } = config
  const nothing = noWarehouse(storage.files)
  const all = await readWorkingFiles(
    storage,
    { memoryLimit: sync.memoryLimit, settings },
    async (reader) => ({ runs: await runsIn(reader), freshness: await freshnessOf(reader) }),
  )
  if (all.length === 0) throw nothing
  const runs = mergeRuns(
    storage,
    all.map(({ accountId, found }) => ({ accountId, found: found?.runs })),
    [],
  )
  const freshness = all.flatMap(({ found }) => found?.freshness ?? [])
  for (const why of whyUnread(all)) console.note(`${why}.`)
  const progress = progressText(storage, all)
  const schedule = scheduleState(config, Date.now())
  console.note(errorText(nothing))
  if (json) {
    const state = { warehouse, published: false, under_way: progress, runs, freshness }
    console.out(stringifyJson({ ...state, quarantined: sumOf(freshness), schedule }))
    return 1
  }
  if (progress !== null) console.out(progress)
  if (runs.length > 0) console.out(statusText(config, runs, freshness))
  if (schedule) console.out(scheduleText(schedule, config))
  return 1
}

const runsIn = async (reader: Reader) => objectsOf(await reader.query(RUNS))

/** Null if all working files could be read, because a running sync locks its file. */
function progressText(storage: Published, working: readonly { readonly found: unknown }[]): string | null {
  const under = readProgress(storage)
  if (under === undefined || working.every(({ found }) => found !== undefined)) return null
  return cleanForTerminal(`A sync is running (process ${under.pid}), at ${under.at}: ${under.line}`)
}

function newestRuns(runs: readonly Row[]): Row[] {
  const newest = new Map<Cell | undefined, Row>()
  for (const run of runs) if (!newest.has(run.account)) newest.set(run.account, run)
  return [...newest.values()]
}

/** Returns the last run of each configured account, or of every account if no configured account has a run. */
function configuredRuns(runs: readonly Row[], { accounts }: Config): Row[] {
  const names = new Set<Cell | undefined>(accounts.map(({ name }) => name))
  const all = newestRuns(runs)
  const configured = all.filter(({ account }) => names.has(account))
  return configured.length > 0 ? configured : all
}

/** Returns the rows of the view `freshness` with row counts. Adds resources that were never synced. */
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

/** Returns accounts with rows but no configuration. Empty if an account has no name, because it could own any rows. */
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

const NUMBERS = ['run', 'read', 'written', 'requests', '429', 'seconds', 'rows', 'incomplete windows']

function statusText(
  { warehouse, timezone }: Config,
  runs: readonly Row[],
  freshness: readonly Row[],
): string {
  const isShared = new Set([...runs, ...freshness].map(({ account }) => account)).size > 1
  const whose = (row: Row) => (isShared ? [cleanForTerminal(String(row.account))] : [])
  const column = isShared ? ['account'] : []
  const table = (header: string[], rows: string[][]) =>
    textTable(
      [header, ...rows],
      header.map((name) => NUMBERS.includes(name)),
    )
  const lines = [
    `Warehouse ${warehouse}`,
    '',
    ...table(
      ['run', ...column, 'started', 'status', 'as of', 'read', 'written', 'requests', '429', 'seconds'],
      runs.map((run) => [
        String(run.run_id),
        ...whose(run),
        instant(run.started_at, timezone),
        String(run.status),
        instant(run.as_of_at, timezone),
        ...[run.rows_read, run.rows_written, run.requests, run.throttled].map((count) => String(count ?? '')),
        typeof run.seconds === 'number' ? run.seconds.toFixed(1) : '',
      ]),
    ),
    '',
    ...table(
      [...column, 'resource', 'rows', 'last read', 'incomplete windows'],
      freshness.map((row) => [
        ...whose(row),
        String(row.resource),
        String(row.rows),
        instant(row.last_read_at, timezone),
        String(row.windows_not_done),
      ]),
    ),
  ]
  for (const run of newestRuns(runs)) {
    if (typeof run.message !== 'string' || run.message === '') continue
    lines.push('', `Last run${isShared ? ` of ${whose(run)[0]}` : ''}: ${cleanForTerminal(run.message)}`)
  }
  const quarantined = sumOf(freshness)
  if (quarantined > 0) lines.push('', `${quarantined} quarantined records: see \`faultline quarantine\`.`)
  const hidden = freshness.filter(({ private_ids: ids }) => Number(ids) > 0)
  if (hidden.length > 0) {
    const counts = hidden.map((row) => [...whose(row), `${row.private_ids} of ${row.resource}`].join(': '))
    lines.push('', `Private, not readable with this key: ${counts.join(', ')}. They are retried each week.`)
  }
  return lines.join('\n')
}

const sumOf = (freshness: readonly Row[]) => freshness.reduce((sum, { waiting }) => sum + Number(waiting), 0)

/** A stopped scheduler is not a problem, because syncs can be run without a scheduler. */
function scheduleState(config: Config, now: number) {
  const health = readHealth(config.schedule.healthFile)
  if (!health) return null
  const { problems, warnings } = diagnose(health, now)
  const next = Object.fromEntries(Object.entries(health.jobs).map(([name, job]) => [name, job.nextRunAt]))
  const { state } = health
  return { state, next, problems: state === 'stopped' ? [] : problems, warnings }
}

type ScheduleState = NonNullable<ReturnType<typeof scheduleState>>

function scheduleText({ state, next, problems, warnings }: ScheduleState, { timezone }: Config): string {
  const times = Object.entries(next).flatMap(([name, at]) =>
    at === null ? [] : [`${name} ${instant(new Date(at), timezone)}`],
  )
  const lines =
    state === 'stopped'
      ? ['Schedule: stopped.']
      : [`Schedule: ${state}; next ${times.join(', ')}`, ...problems, ...warnings]
  return ['', ...lines].map(cleanForTerminal).join('\n')
}
