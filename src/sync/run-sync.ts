import type { Client } from '../client/client.ts'
import type { Effects } from '../effects.ts'
import type { Resource } from '../resources/resource.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'
import {
  beginRun,
  finishRun,
  latestStart,
  type RunStatus,
  readWatermark,
  unfinishedRuns,
  type Watermark,
} from './ledger.ts'
import { createLoader, type LoadCounts } from './loader.ts'
import { countOlderQuarantined } from './quarantine.ts'
import { type ResourceRun, readResource } from './read-resource.ts'
import { STALE_S, type SyncScope } from './slice.ts'
import {
  type Failure,
  failuresOf,
  isComplete,
  reachedWithout,
  type SliceRun,
  statusOf,
} from './slice-runs.ts'

export interface RunOptions {
  readonly client: Client
  readonly warehouse: Warehouse
  readonly resources: readonly Resource[]
  readonly scope: SyncScope
  readonly accountId: bigint
  readonly accountName?: string | null
  readonly effects: Effects
  readonly concurrency: number
  readonly version: string
  readonly signal: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

export interface Progress {
  readonly account?: string
  readonly resource: string
  readonly slicesDone: number
  readonly slicesPlanned: number
  readonly requests: number
  readonly requestsPlanned: number
  readonly throttled: number
  readonly rows: number
  readonly seconds: number
}

export interface RunSummary extends LoadCounts {
  readonly runId: number
  /** Records that earlier runs put into quarantine. */
  readonly stillWaiting: number
  readonly status: RunStatus
  /** Whether every planned window was read. A run without windows has the value of the last run with windows. */
  readonly complete: boolean
  /** Everything up to this moment (Unix seconds) was read. Null if this run did not read everything. */
  readonly asOf: number | null
  readonly requests: number
  readonly throttled: number
  readonly seconds: number
  readonly slices: number
  readonly failures: readonly Failure[]
}

/**
 * Runs one sync and records it in `sync_runs`. A failed window does not stop the others.
 * @throws WarehouseError if the warehouse could not be written, or the signal's reason when aborted
 */
export async function runSync(options: RunOptions): Promise<RunSummary> {
  const { client, warehouse, scope, accountId, accountName = null, effects } = options
  const startedAt = effects.now()
  const chain = await unfinishedRuns(warehouse.db, accountId, scope.now)
  const before = await readWatermark(warehouse.db, accountId)
  const behind = staleWarning(scope.now, await latestStart(warehouse.db, accountId))
  const runId = await beginRun(warehouse.db, {
    accountId,
    accountName,
    startedAt: new Date(startedAt),
    serviceTime: new Date(scope.now * 1_000),
    version: options.version,
  })
  // Stored times follow the service's clock, because they are compared with times of the service.
  const serviceNow = () => scope.now * 1_000 + effects.now() - startedAt
  const seconds = () => (effects.now() - startedAt) / 1_000
  const stopping = new AbortController()
  const loader = createLoader(
    warehouse,
    { runId, accountId },
    { now: serviceNow, sleep: effects.sleep },
    { onFailure: (reason) => stopping.abort(reason), acceptVanished: scope.acceptVanished ?? false },
  )
  const slices: SliceRun[] = []
  const run = {
    client,
    scope,
    runId,
    plan: { ...scope, accountId, db: warehouse.db, chainStart: chain.startedAt, chain: chain.runs },
    loader,
    now: serviceNow,
    concurrency: options.concurrency,
    signal: AbortSignal.any([options.signal, stopping.signal]),
    stop: (reason: unknown) => stopping.abort(reason),
    slices,
    accountId,
    served: { latest: Number.NEGATIVE_INFINITY },
    onPage: (resource: Resource) =>
      options.onProgress?.(progressOf(options, resource, slices, loader.counts.read, seconds())),
  }
  // If the service's clock is behind, nothing is read, because older records would replace newer ones.
  const fatal = behind ? undefined : await readAll(run, options.resources)
  const isDone = fatal === undefined && !behind && isComplete(slices)
  const summary: RunSummary = {
    ...loader.counts,
    runId,
    ...(fatal === undefined
      ? await takenOf(options, run, chain.startedAt, behind)
      : { stillWaiting: 0, status: 'failed' }),
    complete: isDone && (readsWindows(options) || before.isComplete),
    asOf: isDone && readsWindows(options) ? asOfOf(run, chain.startedAt, before) : null,
    ...sentBy(client),
    seconds: seconds(),
    slices: slices.length,
    failures: [...failuresOf(slices), ...(behind ? [behind] : [])],
  }
  await record(options, summary, fatal)
  if (fatal !== undefined) throw fatal
  return summary
}

function sentBy(client: Client): Pick<RunSummary, 'requests' | 'throttled'> {
  const { requests, throttled } = client.stats()
  return { requests, throttled }
}

/** Returns quarantine counts and the status. Includes records of the interrupted runs that this run continues. */
async function takenOf(
  { warehouse }: RunOptions,
  { runId, accountId, loader, slices }: ResourceRun,
  chainStart: number | null,
  behind: Failure | undefined,
): Promise<Pick<RunSummary, 'quarantined' | 'stillWaiting' | 'status'>> {
  const waiting = await countOlderQuarantined(warehouse.db, { runId, accountId }, chainStart)
  const quarantined = loader.counts.quarantined + waiting.ofChain
  const status = behind ? 'partial' : statusOf(slices, quarantined)
  return { quarantined, stillWaiting: waiting.ofEarlier, status }
}

function staleWarning(now: number, latest: number | null): Failure | undefined {
  if (latest === null || now >= latest - STALE_S) return undefined
  const [was, is] = [latest, now].map((seconds) => new Date(seconds * 1_000).toISOString())
  return {
    resource: 'service',
    message: `The answers are dated ${is}, but an earlier sync began at ${was}. They probably came from a cache, so nothing was read.`,
    next: 'Check for a cache or proxy between this machine and the service, then sync again.',
  }
}

async function readAll(run: ResourceRun, resources: readonly Resource[]): Promise<unknown> {
  try {
    for (const resource of resources) await readResource(run, resource)
    return undefined
  } catch (error) {
    return error
  }
}

function readsWindows({ resources }: RunOptions): boolean {
  return resources.some((resource) => resource.read.kind === 'windows')
}

/**
 * Returns the time up to which everything was read. This time does not move back when a run reads an older range again.
 */
function asOfOf({ scope, slices }: ResourceRun, chainStart: number | null, before: Watermark): number {
  const { now, until = now } = scope
  const reached = reachedWithout(slices, chainStart ?? now)
  return until >= reached ? reached : Math.max(until, Math.min(before.asOf ?? until, now))
}

function progressOf(
  { accountName = null, client }: RunOptions,
  resource: Resource,
  slices: readonly SliceRun[],
  rows: number,
  seconds: number,
): Progress {
  const { requests, throttled } = sentBy(client)
  const planned = slices.reduce((sum, { slice }) => sum + slice.requests, 0)
  return {
    ...(accountName === null ? {} : { account: accountName }),
    resource: resource.table,
    slicesDone: slices.filter(({ outcome }) => outcome !== null).length,
    slicesPlanned: slices.length,
    requests,
    requestsPlanned: Math.max(planned, requests),
    throttled,
    rows,
    seconds,
  }
}

async function record({ warehouse, effects }: RunOptions, summary: RunSummary, fatal: unknown) {
  const messages = summary.failures.map((one) => `${one.resource}: ${one.message}`)
  if (fatal !== undefined) messages.push(fatal instanceof Error ? fatal.message : String(fatal))
  const closing = finishRun(warehouse.db, summary.runId, {
    finished_at: new Date(effects.now()),
    status: summary.status,
    as_of_at: summary.asOf === null ? null : new Date(summary.asOf * 1_000),
    rows_read: summary.read,
    rows_written: summary.inserted + summary.replaced + summary.vanished,
    requests: summary.requests,
    throttled: summary.throttled,
    seconds: summary.seconds,
    message: messages.join('; '),
  })
  // If the warehouse caused the fatal error, this write fails too. Only the first error is reported.
  await (fatal === undefined ? closing : closing.catch(() => undefined))
}
