import type { Job } from './jobs.ts'
import { isDone, type JobRecord } from './record.ts'

const MINUTE = 60_000
/** Waits before a run that failed is retried; then its next regular time is waited for. */
const RETRIES = [10 * MINUTE, 30 * MINUTE]
/** Waits before a report that did not get to everyone is tried again, for most of a day; then, and when it is due anew, that ends. */
const REDELIVERIES = [5, 15, 30, 60, 120, 240, 240, 240, 240].map((minutes) => minutes * MINUTE)
/** A sync that runs for longer is not waited for: reports are made of what is published, and say how old that is. */
export const REPORT_WAITS_MS = 120 * MINUTE

/** A job, what is remembered of it, and when it comes next. */
export interface JobState {
  readonly job: Job
  readonly record: JobRecord
  /** Unix ms; null for never. A time that has passed means at once. */
  readonly nextRunAt: number | null
  /** What that run is for: a time of the schedule, which a retry keeps. */
  readonly due: number | null
}

/** A job and the moment at which it was or is due, Unix ms. */
export interface Due {
  readonly job: Job
  readonly due: number
}

/** One that runs; `isFree` when all that is left of it may go on beside others of its kind. */
export interface Running extends Due {
  readonly isFree: boolean
}

/** What a process knows besides the records of its jobs, Unix ms. */
export interface Since {
  /** What was due up to this moment is not caught up. */
  readonly notBefore: number
  /** When the process began: whoever restarts it has mended something, and what failed before is tried at once. */
  readonly restartedAt: number
}

/**
 * When a job is to run next, and for which time. A moment that has passed means at once: a missed run, of one night or of
 * thirty, is caught up once. Only the last run and the expression decide, so a restart changes nothing.
 *
 * - What was never made is due at once, a sync before the reports.
 * - A run that failed is retried after 10 and after 30 minutes, and when the process is started again; one that was
 *   interrupted or stopped at once; a report that did not get to everyone for most of a day. All of them keep the time that they were due at.
 */
export function stateOf(job: Job, record: JobRecord, { notBefore, restartedAt }: Since): JobState {
  const at = (nextRunAt: number | null, due = nextRunAt) => ({ job, record, nextRunAt, due })
  if (record.startedAt === null) {
    if (record.since > notBefore) return at(record.since)
    return at(job.cron.next(Math.max(record.since, notBefore)))
  }
  const regular = job.cron.next(Math.max(record.startedAt, notBefore))
  const retry = record.startedAt < notBefore ? null : retryAt(record, restartedAt)
  if (retry === null || (regular !== null && regular < retry)) return at(regular)
  return at(retry, record.dueAt ?? record.startedAt)
}

function retryAt(
  { outcome, finishedAt, startedAt, failures }: JobRecord,
  restartedAt: number,
): number | null {
  if (outcome === null || isDone(outcome)) return null
  const ended = finishedAt ?? startedAt!
  if (outcome === 'stopped') return ended
  const wait = (outcome === 'undelivered' ? REDELIVERIES : RETRIES)[failures - 1]
  // One that ends the process each time is not tried for ever.
  if (outcome === 'interrupted') return wait === undefined ? null : ended
  if (ended < restartedAt) return restartedAt
  return wait === undefined ? null : ended + wait
}

/**
 * The jobs to start now, in order. Syncs write one file, so one of them runs at a time; so does one report, for the sake
 * of memory. A report waits for a sync that was due before it, since that brings what it is to show; but not for a later
 * one, or it would wait for ever where syncs follow each other closely, nor for one that takes hours or that such a one
 * holds up.
 * @param hasData whether anything was ever published: reports wait for that
 */
export function startable(
  jobs: readonly JobState[],
  running: readonly Running[],
  { now, hasData }: { readonly now: number; readonly hasData: boolean },
): Due[] {
  const isBusy = (kind: Job['kind']) => running.some(({ job, isFree }) => job.kind === kind && !isFree)
  const due = jobs
    .flatMap(({ job, nextRunAt, due }) =>
      nextRunAt !== null && nextRunAt <= now && !running.some((one) => one.job === job)
        ? [{ job, due: due ?? nextRunAt }]
        : [],
    )
    .sort((a, b) => a.due - b.due)
  const isLong = (job: Job) => {
    const startedAt = jobs.find((one) => one.job === job)?.record.startedAt ?? now
    return now - startedAt >= REPORT_WAITS_MS
  }
  const syncs = [...due, ...running].filter(({ job }) => job.kind === 'sync')
  const awaited = running.some(({ job }) => job.kind === 'sync' && isLong(job)) ? [] : syncs
  const sync = isBusy('sync') ? undefined : due.find(({ job }) => job.kind === 'sync')
  const report =
    isBusy('report') || !hasData
      ? undefined
      : due.find((one) => one.job.kind === 'report' && !awaited.some((other) => other.due <= one.due))
  return [sync, report].filter((one) => one !== undefined)
}
