import pLimit from 'p-limit'
import type { Client } from '../client/client.ts'
import type { Effects } from '../effects.ts'
import { FaultlineError, WarehouseError } from '../errors.ts'
import type { Resource } from '../resources/resource.ts'
import type { Warehouse } from '../warehouse/warehouse.ts'
import { beginRun, finishRun, openSlices, type RunStatus, unfinishedRuns } from './ledger.ts'
import { createLoader, type LoadCounts, type Loader } from './loader.ts'
import type { Progress } from './progress.ts'
import { readSlice } from './read-slice.ts'
import { planResource } from './strategies.ts'
import type { PlanContext, SyncScope } from './strategy.ts'

export interface RunOptions {
  readonly client: Client
  readonly warehouse: Warehouse
  readonly resources: readonly Resource[]
  readonly scope: SyncScope
  readonly effects: Effects
  /** Slices read at once. */
  readonly concurrency: number
  /** Version of the program, for the record. */
  readonly version: string
  readonly signal: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

/** A part of a run that did not succeed. */
export interface Failure {
  readonly resource: string
  readonly message: string
  readonly next: string | undefined
}

/** What a run did. */
export interface RunSummary extends LoadCounts {
  readonly runId: number
  readonly status: RunStatus
  /** The moment the data is as of, Unix seconds; null when not everything was read. */
  readonly asOf: number | null
  readonly requests: number
  readonly throttled: number
  readonly seconds: number
  readonly slices: number
  readonly failures: readonly Failure[]
}

/** How many slices are read side by side unless told otherwise. */
export const CONCURRENCY = 8

/**
 * Runs one sync into an open warehouse. A slice or a resource that fails is told in the summary and makes the run
 * red; the others finish. The run is recorded in `sync_runs` whatever happens.
 * @throws WarehouseError when the warehouse could not be written, or the signal's reason when it was aborted
 */
export async function runSync(options: RunOptions): Promise<RunSummary> {
  const { client, warehouse, scope, effects } = options
  const startedAt = effects.now()
  const chain = await unfinishedRuns(warehouse.db, scope.now)
  const runId = await beginRun(warehouse.db, {
    startedAt: new Date(startedAt),
    serviceTime: new Date(scope.now * 1_000),
    version: options.version,
  })
  const asOf = chain.startedAt ?? scope.now
  const plan: PlanContext = { ...scope, db: warehouse.db, chainStart: chain.startedAt, chain: chain.runs }
  // What is noted about the data is noted in the service's time, since it is compared with the service's times.
  const serviceNow = () => scope.now * 1_000 + effects.now() - startedAt
  const run = createRun(options, createLoader(warehouse, runId, { now: serviceNow }), runId, startedAt)
  let fatal: unknown
  try {
    for (const resource of options.resources) await run.resource(plan, resource)
  } catch (error) {
    fatal = error
  }
  const stats = client.stats()
  const finishedAt = effects.now()
  const status = fatal !== undefined || run.failures.length > 0 ? 'failed' : run.unproven() ? 'partial' : 'ok'
  const reached = fatal === undefined && !run.windowsFailed()
  const summary: RunSummary = {
    ...run.loader.counts,
    runId,
    status,
    asOf: reached ? asOf : null,
    requests: stats.requests,
    throttled: stats.throttled,
    seconds: (finishedAt - startedAt) / 1_000,
    slices: run.slices(),
    failures: run.failures,
  }
  await record(options, summary, finishedAt, fatal)
  if (fatal !== undefined) throw fatal
  return summary
}

async function record({ warehouse }: RunOptions, summary: RunSummary, finishedAt: number, fatal: unknown) {
  const messages = [...summary.failures.map((one) => `${one.resource}: ${one.message}`)]
  if (fatal !== undefined) messages.push(fatal instanceof Error ? fatal.message : String(fatal))
  const closing = finishRun(warehouse.db, summary.runId, new Date(finishedAt), {
    status: summary.status,
    asOf: summary.asOf === null ? null : new Date(summary.asOf * 1_000),
    rowsRead: summary.read,
    rowsWritten: summary.inserted + summary.replaced + summary.vanished,
    requests: summary.requests,
    throttled: summary.throttled,
    seconds: summary.seconds,
    message: messages.join('; '),
  })
  // When the warehouse itself failed, this fails as well; the first error is the one to tell.
  await (fatal === undefined ? closing : closing.catch(() => undefined))
}

/** The state of one run while it goes on. */
function createRun(options: RunOptions, loader: Loader, runId: number, startedAt: number) {
  const { client, warehouse, effects, signal } = options
  const limit = pLimit(options.concurrency)
  const failures: Failure[] = []
  const tally = { planned: 0, done: 0, requestsPlanned: 0, unproven: 0, windowsFailed: 0 }

  function report(resource: Resource) {
    const stats = client.stats()
    options.onProgress?.({
      resource: resource.table,
      slicesDone: tally.done,
      slicesPlanned: tally.planned,
      requests: stats.requests,
      requestsPlanned: Math.max(tally.requestsPlanned, stats.requests),
      throttled: stats.throttled,
      rows: loader.counts.read,
      seconds: (effects.now() - startedAt) / 1_000,
    })
  }

  function fail(resource: Resource, error: unknown) {
    // These end the run: nothing more can be stored, or somebody asked to stop, or it is our own mistake.
    if (signal.aborted || error instanceof WarehouseError || !(error instanceof FaultlineError)) throw error
    if (resource.read.kind === 'windows') tally.windowsFailed++
    const failure = { resource: resource.table, message: error.message, next: error.next }
    // Every window of a resource usually fails for the same reason; once is enough to read.
    const known = failures.some((one) => one.resource === failure.resource && one.next === failure.next)
    if (!known) failures.push(failure)
  }

  async function resource(plan: PlanContext, one: Resource): Promise<void> {
    const slices = await planResource(plan, one)
    const windows = await openSlices(
      warehouse.db,
      runId,
      tally.planned,
      slices,
      new Date(options.scope.now * 1_000),
    )
    tally.planned += slices.length
    tally.requestsPlanned += slices.reduce((sum, slice) => sum + slice.requests, 0)
    report(one)
    const context = { client, scope: options.scope, signal }
    const reads = slices.map((slice, index) =>
      limit(async () => {
        try {
          const ending = await readSlice(context, loader, one, slice, windows[index]!, () => report(one))
          if (ending.state === 'unproven') tally.unproven++
        } catch (error) {
          fail(one, error)
        }
        tally.done++
        report(one)
      }),
    )
    const ends = await Promise.allSettled(reads)
    await loader.drain()
    const broken = ends.find((end) => end.status === 'rejected')
    if (broken) throw broken.reason
  }

  return {
    loader,
    failures,
    resource,
    slices: () => tally.planned,
    unproven: () => tally.unproven > 0 || loader.counts.quarantined > 0,
    windowsFailed: () => tally.windowsFailed > 0,
  }
}
