import type { Config } from '../../config/config.ts'
import type { Effects } from '../../effects.ts'
import { type Health, readHealth } from '../../schedule/health.ts'
import { resolveStorage } from '../../sdk/resolve-storage.ts'
import { version } from '../../version.ts'
import { openReader } from '../../warehouse/read/reader.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import { type LocalServer, listenLocally, parsePort } from '../local-server.ts'
import type { IncidentFigures } from './incident-families.ts'
import {
  columnFamilies,
  type Family,
  family,
  type LabeledRow,
  type Labels,
  numberOf,
  openMetrics,
} from './metric-family.ts'

export interface MetricsInput {
  readonly config: Config
  readonly healthFile: string
  readonly figures?: IncidentFigures | undefined
}

const NOTHING: Awaited<ReturnType<typeof published>> = { runs: [], freshness: [], bytes: null, isUp: false }

/** Returns metrics about the scheduler and the published copy, in a format that node_exporter can also read. */
export async function metricsText({ config, healthFile, figures }: MetricsInput): Promise<string> {
  const { runs, freshness, bytes, isUp } = await published(config).catch(() => NOTHING)
  return openMetrics([
    family('build_info', 'Running version.', [[{ version }, 1]]),
    family('warehouse_up', 'Whether the published copy can be read.', [[{}, isUp ? 1 : 0]]),
    family('warehouse_size_bytes', 'Size of the published copy.', [[{}, bytes]]),
    ...jobFamilies(readHealth(healthFile)),
    ...runFamilies(runs),
    ...freshnessFamilies(freshness),
    ...(isUp ? (figures?.(publicationOf(runs, bytes)) ?? []) : []),
  ])
}

async function published({ warehouse, settings, sync }: Config) {
  const storage = await resolveStorage(warehouse)
  const reader = await openReader(storage, { memoryLimit: sync.memoryLimit, settings })
  const read = async (sql: string) => objectsOf(await reader.query(sql))
  try {
    return {
      runs: await read(
        'from runs where account_id is not null and recency <= 5 order by recency, account_id',
      ),
      freshness: await read('from freshness order by account_id, resource'),
      bytes: storage.size(),
      isUp: true,
    }
  } finally {
    reader.close()
  }
}

/** Identifies a published state, so that its incident figures are computed only once. */
const publicationOf = (runs: readonly Row[], bytes: number | null) =>
  JSON.stringify([bytes, runs.map((run) => [run.account_id, run.run_id, run.status].map(String))])

function jobFamilies(health: Health | null): Family[] {
  const jobs = Object.entries(health?.jobs ?? {}).map(([job, state]): LabeledRow => {
    const { outcome, startedAt, finishedAt, succeededAt, nextRunAt, failures } = state
    const [start, end, success, next] = [startedAt, finishedAt, succeededAt, nextRunAt].map(seconds)
    const duration = start && end ? end - start : null
    return [{ job }, { running: outcome === 'running', success, start, duration, next, failures }]
  })
  return [
    family('scheduler_updated_timestamp_seconds', 'Last update of the scheduler state.', [
      [{}, seconds(health?.updatedAt ?? null)],
    ]),
    ...columnFamilies(jobs, [
      ['job_running', 'running', 'Whether the job is running.'],
      ['job_last_success_timestamp_seconds', 'success', 'Last successful run of the job.'],
      ['job_last_start_timestamp_seconds', 'start', 'Start of the last run of the job.'],
      ['job_last_duration_seconds', 'duration', 'Duration of the last run of the job.'],
      ['job_next_run_timestamp_seconds', 'next', 'Next due time of the job.'],
      ['job_failures', 'failures', 'Consecutive runs of the job without success.'],
    ]),
  ]
}

const CHANGED = 'Records read by the last published sync that were new or changed.'
const REJECTED = 'Requests sent by the last published sync that were rejected (429).'

function runFamilies(runs: readonly Row[]): Family[] {
  const newest = runs.filter(({ recency }) => Number(recency) === 1)
  const asOf = newest.map((run) => {
    const own = runs.filter(({ account_id }) => account_id === run.account_id)
    const times = own.map(({ as_of_at: time }) => numberOf(time) ?? 0)
    return [accountOf(run), Math.max(...times) || null] as const
  })
  const rows = newest.map((run): LabeledRow => [accountOf(run), { ...run, is_ok: run.status === 'ok' }])
  return [
    family('data_as_of_timestamp_seconds', 'Time up to which all data was synced.', asOf),
    ...columnFamilies(rows, [
      ['sync_last_start_timestamp_seconds', 'started_at', 'Start of the last published sync.'],
      ['sync_ok', 'is_ok', 'Whether the last published sync was complete.'],
      ['sync_duration_seconds', 'seconds', 'Duration of the last published sync.'],
      ['sync_requests', 'requests', 'Requests sent by the last published sync.'],
      ['sync_throttled_requests', 'throttled', REJECTED],
      ['sync_rows_read', 'rows_read', 'Records read by the last published sync.'],
      ['sync_rows_written', 'rows_written', CHANGED],
    ]),
  ]
}

const LAST_READ = 'Time of the last complete read of a window of the resource.'

function freshnessFamilies(freshness: readonly Row[]): Family[] {
  const rows = freshness.map(
    (row): LabeledRow => [{ ...accountOf(row), resource: String(row.resource) }, row],
  )
  return columnFamilies(rows, [
    ['last_read_timestamp_seconds', 'last_read_at', LAST_READ],
    ['windows_not_done', 'windows_not_done', 'Windows of the resource that the last run did not complete.'],
    ['quarantined_records', 'waiting', 'Quarantined records of the resource.'],
  ])
}

type Row = LabeledRow[1]

const accountOf = ({ account_id, account }: Row): Labels => ({ account: String(account ?? account_id) })
const seconds = (iso: string | null) => (iso === null ? null : Date.parse(iso) / 1_000)

/** Requests within this time get the same text, so that the published copy is read only once. */
const SHARED_MS = 5_000

/** Serves `GET /metrics`. On a loopback address, rejects requests to other host names. @throws ConfigError */
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
