import { isDone, type JobRecord } from './job-store.ts'
import type { Job } from './jobs.ts'

const MINUTE = 60_000
/** Delays before each retry of a failed run. After the last retry, the job waits for its next due time. */
const RETRIES = [10 * MINUTE, 30 * MINUTE]
/** Delays before each retry of an incomplete delivery, most of a day in total. Retries end at the next due time. */
const REDELIVERIES = [5, 15, 30, 60, 120, 240, 240, 240, 240].map((minutes) => minutes * MINUTE)
/** Interval at which a report that waits for data checks again. */
const WAITS = 10 * MINUTE
/** Maximum time that a report waits for a running sync. After that, it uses published data and shows the data's age. */
const REPORT_WAITS_MS = 120 * MINUTE

export interface JobState {
  readonly job: Job
  readonly record: JobRecord
  /** When to start the next run (Unix ms). A past time means now. Null if the job never runs again. */
  readonly nextRunAt: number | null
  /** Due time of the next run (Unix ms). A retry keeps the due time of the failed run. */
  readonly due: number | null
}

interface Due {
  readonly job: Job
  readonly due: number
}

export interface Running extends Due {
  /** Whether another job of the same kind can start, although this job is still finishing. */
  readonly isFree: boolean
}

/** Maximum number of parallel jobs in this process, for each kind. */
export type Places = Readonly<Record<Job['kind'], number>>

/** Times of this process that affect which runs are due, in Unix ms. */
export interface Since {
  /** Due times before this moment are ignored. */
  readonly notBefore: number
  /** Start of this process. Jobs that failed earlier are retried at once, because a restart usually follows a fix. */
  readonly restartedAt: number
}

/**
 * Returns the next run of a job. One run makes up for all due times that the process missed. A failed run is retried
 * twice, and after a restart. An interrupted or stopped run is retried at once.
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
  // A job that crashes the process every time must not be retried forever, so retries end after the last delay.
  if (outcome === 'interrupted') return wait === undefined ? null : ended
  if (ended < restartedAt) return restartedAt
  // The recipient would reject a retry too, until a person changes something.
  if (outcome === 'refused') return null
  return wait === undefined ? null : ended + wait
}

/**
 * Returns the jobs that can start now, in starting order. Jobs that another process began are included, because that
 * process might have died. A report waits for earlier syncs, unless such a sync has been running for two hours.
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

/** The due times of new jobs differ by machine, so a new report waits for every new sync. */
function isBefore(sync: JobState, report: JobState): boolean {
  const due = dueOf(sync)
  return due <= dueOf(report) || (isNew(report) && sync.job.cron.last(due) !== due)
}

/** Whether a job has never run. New jobs start before all others, because they could otherwise wait forever. */
const isNew = ({ record }: JobState) => record.startedAt === null

function dueOf({ record, nextRunAt, due }: JobState): number {
  return isBegun(record) ? (record.dueAt ?? record.startedAt!) : (due ?? nextRunAt!)
}

export function hasPlace(kind: Job['kind'], running: readonly Running[], places: Places): boolean {
  return running.filter(({ job, isFree }) => job.kind === kind && !isFree).length < places[kind]
}

/** Whether the last run began but has not ended: the job is still running, or its process died. */
export function isBegun({ startedAt, outcome }: JobRecord): boolean {
  return startedAt !== null && outcome === null
}
