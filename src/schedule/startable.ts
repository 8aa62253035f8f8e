import type { JobState } from './health.ts'
import type { Job } from './job.ts'

/** A sync that runs for longer is not waited for: reports are made of what is published, and say how old that is. */
const REPORT_WAITS_MS = 2 * 3_600_000

/**
 * The jobs to start now, in order. Syncs write one file, so one of them runs at a time; so does one report, for the sake
 * of memory. A report waits for a sync that runs or is about to, since the sync brings what it is to show.
 */
export function startable(
  jobs: readonly JobState[],
  running: ReadonlySet<Job>,
  now: number,
): { job: Job; due: number }[] {
  const isBusy = (kind: Job['kind']) => [...running].some((job) => job.kind === kind)
  const due = jobs
    .flatMap(({ job, nextRunAt }) =>
      nextRunAt !== null && nextRunAt <= now && !running.has(job) ? [{ job, due: nextRunAt }] : [],
    )
    .sort((a, b) => a.due - b.due)
  const sync = isBusy('sync') ? undefined : due.find(({ job }) => job.kind === 'sync')
  const isAwaited = ({ job, record }: JobState) =>
    job.kind === 'sync' && running.has(job) && now - record.startedAt! < REPORT_WAITS_MS
  const report =
    isBusy('report') || sync || jobs.some(isAwaited)
      ? undefined
      : due.find(({ job }) => job.kind === 'report')
  return [sync, report].filter((one) => one !== undefined)
}
