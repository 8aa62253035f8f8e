import type { Config } from '../../config/config.ts'
import { type Effects, replaceFile } from '../../effects.ts'
import { type Health, readHealth } from '../../schedule/health.ts'
import { resolveStorage } from '../../sdk/resolve-storage.ts'
import { version } from '../../version.ts'
import type { Cell } from '../../warehouse/read/cell.ts'
import { openReader } from '../../warehouse/read/reader.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import { type LocalServer, listenLocally, parsePort } from '../local-server.ts'
import type { IncidentFigures } from './incident-families.ts'
import { type Family, family, familyOf, type Labels, openMetrics } from './metric-family.ts'

type Row = Readonly<Record<string, Cell>>

export interface MetricsInput {
  readonly config: Config
  readonly healthFile: string
  readonly figures?: IncidentFigures | undefined
}

/**
 * Returns metrics of the scheduler and the published copy, as OpenMetrics. node_exporter can read these metrics from a file.
 */
export async function metricsText({ config, healthFile, figures }: MetricsInput): Promise<string> {
  const health = readHealth(healthFile)
  const { runs, freshness, bytes, isUp } = await published(config).catch(() => ({
    runs: [],
    freshness: [],
    bytes: null,
    isUp: false,
  }))
  const families = [
    family('build_info', 'Running version.', [[{ version }, 1]]),
    family('warehouse_up', 'Whether the published copy can be read.', [[{}, isUp ? 1 : 0]]),
    family('warehouse_size_bytes', 'Size of the published copy.', [[{}, bytes]]),
    ...jobFamilies(health),
    ...runFamilies(runs),
    ...freshnessFamilies(freshness),
    ...(isUp ? (figures?.of(publicationOf(runs, bytes)) ?? []) : []),
  ]
  return openMetrics(families)
}

async function published({ warehouse, settings, sync }: Config) {
  const storage = await resolveStorage(warehouse)
  const reader = await openReader(storage, { memoryLimit: sync.memoryLimit, settings })
  try {
    const runs = objectsOf(
      await reader.query(
        'from runs where account_id is not null and recency <= 5 order by recency, account_id',
      ),
    )
    return {
      runs,
      freshness: objectsOf(await reader.query('from freshness order by account_id, resource')),
      bytes: storage.size(),
      isUp: true,
    }
  } finally {
    reader.close()
  }
}

const publicationOf = (runs: readonly Row[], bytes: number | null) =>
  JSON.stringify([bytes, runs.map((run) => [run.account_id, run.run_id, run.status].map(String))])

function jobFamilies(health: Health | null): Family[] {
  const jobs = Object.entries(health?.jobs ?? {})
  const eachJob = familyOf(jobs, ([job]) => ({ job }))
  const each = (name: string, help: string, value: (job: Health['jobs'][string]) => number | null) =>
    eachJob(`job_${name}`, help, ([, state]) => value(state))
  return [
    family('scheduler_updated_timestamp_seconds', 'Last update of the scheduler state.', [
      [{}, seconds(health?.updatedAt ?? null)],
    ]),
    each('running', 'Whether the job is running.', ({ outcome }) => (outcome === 'running' ? 1 : 0)),
    each('last_success_timestamp_seconds', 'Last successful run of the job.', (job) =>
      seconds(job.succeededAt),
    ),
    each('last_start_timestamp_seconds', 'Start of the last run of the job.', (job) =>
      seconds(job.startedAt),
    ),
    each('last_duration_seconds', 'Duration of the last run of the job.', ({ startedAt, finishedAt }) =>
      startedAt && finishedAt ? (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000 : null,
    ),
    each('next_run_timestamp_seconds', 'Next due time of the job.', (job) => seconds(job.nextRunAt)),
    each('failures', 'Consecutive runs of the job without success.', ({ failures }) => failures),
  ]
}

function runFamilies(runs: readonly Row[]): Family[] {
  const newest = runs.filter(({ recency }) => Number(recency) === 1)
  const each = familyOf(newest, accountOf)
  const asOf = newest.map((run): [Labels, number | null] => {
    const times = runs
      .filter(({ account_id }) => account_id === run.account_id)
      .map((other) => timeOf(other.as_of_at))
    return [accountOf(run), Math.max(...times.map((time) => time ?? 0)) || null]
  })
  return [
    family('data_as_of_timestamp_seconds', 'Time up to which all data was synced.', asOf),
    each('sync_last_start_timestamp_seconds', 'Start of the last published sync.', (run) =>
      timeOf(run.started_at),
    ),
    each('sync_ok', 'Whether the last published sync was complete.', ({ status }) =>
      status === 'ok' ? 1 : 0,
    ),
    each('sync_duration_seconds', 'Duration of the last published sync.', (run) => numberOf(run.seconds)),
    each('sync_requests', 'Requests sent by the last published sync.', (run) => numberOf(run.requests)),
    each(
      'sync_throttled_requests',
      'Requests sent by the last published sync that were rejected (429).',
      (run) => numberOf(run.throttled),
    ),
    each('sync_rows_read', 'Records read by the last published sync.', (run) => numberOf(run.rows_read)),
    each('sync_rows_written', 'Records read by the last published sync that were new or changed.', (run) =>
      numberOf(run.rows_written),
    ),
  ]
}

function freshnessFamilies(rows: readonly Row[]): Family[] {
  const each = familyOf(rows, (row) => ({ ...accountOf(row), resource: String(row.resource) }))
  return [
    each(
      'last_read_timestamp_seconds',
      'Time of the last complete read of a window of the resource.',
      (row) => timeOf(row.last_read_at),
    ),
    each('windows_not_done', 'Windows of the resource that the last run did not complete.', (row) =>
      numberOf(row.windows_not_done),
    ),
    each('quarantined_records', 'Quarantined records of the resource.', (row) => numberOf(row.waiting)),
  ]
}

const accountOf = ({ account_id, account }: Row): Labels => ({ account: String(account ?? account_id) })
const numberOf = (value: Cell | undefined) => (value === null || value === undefined ? null : Number(value))
const timeOf = (value: Cell | undefined) => (value instanceof Date ? value.getTime() / 1_000 : null)
const seconds = (iso: string | null) => (iso === null ? null : Date.parse(iso) / 1_000)

/** Milliseconds within which all requests share one read of the published copy. */
const SHARED_MS = 5_000

/** Serves `GET /metrics`. A loopback address accepts only its own host name. @throws ConfigError if it cannot listen */
export async function serveMetrics(
  address: string,
  told: MetricsInput,
  { now, log }: Pick<Effects, 'now' | 'log'>,
): Promise<LocalServer> {
  const [, host, port = ''] = /^(?:(.+):)?(.*)$/.exec(address) ?? []
  let last: { readonly at: number; readonly text: Promise<string> } | undefined
  const onError = (error: string) => log.warn('metrics could not be served', { error })
  const where = { host, port: parsePort('--metrics', port), option: '--metrics', onError }
  const server = await listenLocally(where, async ({ method, url }, response) => {
    if (method !== 'GET' || url !== '/metrics') return response.writeHead(404).end()
    if (last === undefined || now() - last.at > SHARED_MS) last = { at: now(), text: metricsText(told) }
    const text = await last.text
    response.setHeader('content-type', 'application/openmetrics-text; version=1.0.0; charset=utf-8')
    return response.end(text)
  })
  return { ...server, url: `${server.url}/metrics` }
}

/** Writes the metrics for node_exporter atomically. */
export async function writeMetricsFile(path: string, told: MetricsInput): Promise<void> {
  replaceFile(path, await metricsText(told))
}
