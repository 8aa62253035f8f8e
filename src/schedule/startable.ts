import type { JobState } from './health.ts'
import type { Job } from './job.ts'

/** A sync that runs for longer is not waited for: reports are made of what is published, and say how old that is. */
const REPORT_WAITS_MS = 2 * 3_600_000

/** A job and the moment at which it was or is due, Unix ms. */
export interface Due {
  readonly job: Job
  readonly due: number
}

/**
 * The jobs to start now, in order. Syncs write one file, so one of them runs at a time; so does one report, for the sake
 * of memory. A report waits for a sync that was due before it, since that brings what it is to show; but not for a later
 * one, or it would wait for ever where syncs follow each other closely.
 */
export function startable(jobs: readonly JobState[], running: readonly Due[], now: number): Due[] {
  const isBusy = (kind: Job['kind']) => running.some(({ job }) => job.kind === kind)
  const due = jobs
    .flatMap(({ job, nextRunAt }) =>
      nextRunAt !== null && nextRunAt <= now && !running.some((one) => one.job === job)
        ? [{ job, due: nextRunAt }]
        : [],
    )
    .sort((a, b) => a.due - b.due)
  const awaited = [
    ...due.filter(({ job }) => job.kind === 'sync'),
    ...running.filter(({ job }) => job.kind === 'sync' && !isLong(job, jobs, now)),
  ]
  const sync = isBusy('sync') ? undefined : due.find(({ job }) => job.kind === 'sync')
  const report = isBusy('report')
    ? undefined
    : due.find((one) => one.job.kind === 'report' && !awaited.some((other) => other.due <= one.due))
  return [sync, report].filter((one) => one !== undefined)
}

function isLong(job: Job, jobs: readonly JobState[], now: number): boolean {
  const startedAt = jobs.find((one) => one.job === job)?.record.startedAt ?? now
  return now - startedAt >= REPORT_WAITS_MS
}
