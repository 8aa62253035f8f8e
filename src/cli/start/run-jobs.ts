import type { Config } from '../../config/config.ts'
import type { Effects } from '../../effects.ts'
import { fileStore } from '../../schedule/file-store.ts'
import { readHealth, recordsOf } from '../../schedule/health.ts'
import { type JobRecord, withLastRun } from '../../schedule/job-store.ts'
import { isOfAccount, type Job } from '../../schedule/jobs.ts'
import { runSchedule, type ScheduleEnd, type ScheduleOptions } from '../../schedule/run-schedule.ts'
import type { Published } from '../../warehouse/published.ts'
import type { Context } from '../context.ts'
import { accountsWithoutSchedule, runJobHandler } from './job-handlers.ts'
import { lastRun } from './last-run.ts'
import { sharedStore } from './shared-store.ts'

/** Default number of parallel syncs per worker. A lake usually has several workers. */
const SYNCS = 4

export interface RunOptions extends Pick<ScheduleOptions, 'isOnce' | 'save'> {
  readonly effects: Effects
  readonly published: Published
  readonly syncs?: number | undefined
  after?(): void
}

/** A lake stores the records of jobs, so that all its machines share them. */
export async function runJobs(
  context: Context,
  config: Config,
  jobs: readonly Job[],
  { effects, published, syncs = config.sync.jobs ?? SYNCS, after, ...options }: RunOptions,
): Promise<ScheduleEnd> {
  const { signal } = context
  const { jobs: shared, isThere } = published
  return runSchedule({
    ...{ ...options, jobs, effects, signal, catchUp: config.schedule.catchUp },
    store: shared
      ? sharedStore(shared, jobs)
      : fileStore(jobs, await recordsOfJobs(config, published, jobs), { now: effects.now }),
    syncs: shared ? syncs : 1,
    hasData: isThere,
    async run(job, ending, what) {
      const own = { ...context, signal: ending }
      try {
        const result = await runJobHandler(own, job, effects, what)
        const { accountId } = result
        // Stores in the lake which account belongs to the key, so that all workers use the same name for the job.
        if (shared && accountId !== undefined && isOfAccount(job) && job.accountId === undefined)
          await shared.recordKey(job.keyDigest, accountId)
        return result
      } finally {
        if (!signal.aborted) after?.()
      }
    },
  })
}

async function recordsOfJobs(
  config: Config,
  published: Published,
  jobs: readonly Job[],
): Promise<Map<string, JobRecord>> {
  const health = readHealth(config.schedule.healthFile)
  const records = health ? recordsOf(health) : new Map<string, JobRecord>()
  const names = accountsWithoutSchedule(config).map(({ name }) => name!)
  const last = await lastRun(published, names)
  for (const { name, kind, subject } of jobs) {
    // Only the job without a subject uses the last run, because it syncs the accounts without their own schedule.
    if (kind !== 'sync' || subject !== undefined || last === undefined) continue
    const record = withLastRun(records.get(name), last)
    if (record) records.set(name, record)
    else records.delete(name)
  }
  return records
}
