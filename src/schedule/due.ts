import { isDone, type JobRecord } from './job-store.ts'
import type { Job } from './jobs.ts'

const MINUTE = 60_000
/** Waits before a run that failed is retried; then its next regular time is waited for. */
const RETRIES = [10 * MINUTE, 30 * MINUTE]
/** Waits before a report that did not get to everyone is tried again, for most of a day; then, and when it is due anew, that ends. */
const REDELIVERIES = [5, 15, 30, 60, 120, 240, 240, 240, 240].map((minutes) => minutes * MINUTE)
/** How often a report that waits for data is looked at again. */
const WAITS = 10 * MINUTE
/** A sync that runs for longer is not waited for: reports are made of what is published, and say how old that is. */
const REPORT_WAITS_MS = 120 * MINUTE

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
interface Due {
  readonly job: Job
  readonly due: number
}

/** One that runs here; `isFree` when all that is left of it may go on beside others of its kind. */
export interface Running extends Due {
  readonly isFree: boolean
}

/** How many jobs of a kind this process runs at a time. */
export type Places = Readonly<Record<Job['kind'], number>>

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
 * - A report that waits for data is looked at every ten minutes.
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

function retryAt({ outcome, finishedAt, startedAt, tries }: JobRecord, restartedAt: number): number | null {
  const ended = finishedAt ?? startedAt!
  if (outcome === 'waiting') return ended + WAITS
  if (outcome === null || isDone(outcome)) return null
  if (outcome === 'stopped') return ended
  const wait = (outcome === 'undelivered' ? REDELIVERIES : RETRIES)[tries - 1]
  // One that ends the process each time is not tried for ever.
  if (outcome === 'interrupted') return wait === undefined ? null : ended
  if (ended < restartedAt) return restartedAt
  // The next try would be refused too, until a person has changed something.
  if (outcome === 'refused') return null
  return wait === undefined ? null : ended + wait
}

/**
 * The jobs that may start now, in order; also those that were begun elsewhere, whose process may have died: only who
 * leases them knows.
 *
 * A report waits for a sync that was due before it, wherever that runs, since it brings what the report is to show; but not
 * for a later one, or it would wait for ever where syncs follow each other closely, nor for one that takes hours, nor for
 * what such ones hold up.
 */
export function startable(
  jobs: readonly JobState[],
  running: readonly Running[],
  { now, places }: { readonly now: number; readonly places: Places },
): Due[] {
  const isHere = ({ job }: JobState) => running.some((one) => one.job === job)
  const begun = jobs.filter(({ record }) => isBegun(record))
  const others = jobs.filter((one) => !isHere(one))
  const pending = others.filter(
    ({ record, nextRunAt }) => !isBegun(record) && nextRunAt !== null && nextRunAt <= now,
  )
  const long = begun.filter(({ record }) => now - record.startedAt! >= REPORT_WAITS_MS)
  const areSyncsHeldUp = long.filter((one) => one.job.kind === 'sync' && isHere(one)).length >= places.sync
  const awaited = [...begun.filter((one) => !long.includes(one)), ...(areSyncsHeldUp ? [] : pending)].filter(
    ({ job }) => job.kind === 'sync',
  )
  return [...pending, ...others.filter(({ record }) => isBegun(record))]
    .sort((a, b) => Number(isNew(b)) - Number(isNew(a)) || dueOf(a) - dueOf(b))
    .filter((one) => one.job.kind === 'sync' || !awaited.some((sync) => isBefore(sync, one)))
    .map((state) => ({ job: state.job, due: dueOf(state) }))
}

/** Whether a report waits for a sync. What was never made is due since its machine first looked, and each looked at another moment. */
function isBefore(sync: JobState, report: JobState): boolean {
  const due = dueOf(sync)
  return due <= dueOf(report) || (isNew(report) && sync.job.cron.last(due) !== due)
}

/** What was never done comes first, or it would wait behind others for ever; then what is due for longest. */
const isNew = ({ record }: JobState) => record.startedAt === null

/** For which time a job runs, or would now. */
function dueOf({ record, nextRunAt, due }: JobState): number {
  return isBegun(record) ? (record.dueAt ?? record.startedAt!) : (due ?? nextRunAt!)
}

/** Whether another job of a kind may start beside those that run here. */
export function hasPlace(kind: Job['kind'], running: readonly Running[], places: Places): boolean {
  return running.filter(({ job, isFree }) => job.kind === kind && !isFree).length < places[kind]
}

/** Whether a job runs, or the process that began it died. */
export function isBegun({ startedAt, outcome }: JobRecord): boolean {
  return startedAt !== null && outcome === null
}
