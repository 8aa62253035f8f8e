import { isDone, type JobRecord } from './job-store.ts'
import type { Job } from './jobs.ts'

const MINUTE = 60_000
/** Waits before retries of a failed run. After the last one, the job waits for its next regular time. */
const RETRIES = [10 * MINUTE, 30 * MINUTE]
/**
 * Waits before retries of an incomplete delivery. They extend over most of a day, and end when the report is due again.
 */
const REDELIVERIES = [5, 15, 30, 60, 120, 240, 240, 240, 240].map((minutes) => minutes * MINUTE)
/** Interval at which a report checks for the data that it waits for. */
const WAITS = 10 * MINUTE
/** Maximum time that a report waits for a sync. After that, it uses the published data and shows its age. */
const REPORT_WAITS_MS = 120 * MINUTE

export interface JobState {
  readonly job: Job
  readonly record: JobRecord
  /** Unix ms, or null for never. A past time means immediately. */
  readonly nextRunAt: number | null
  /** Scheduled time of the next run. A retry has the scheduled time of the first attempt. */
  readonly due: number | null
}

interface Due {
  readonly job: Job
  readonly due: number
}

/** A running job of this process. `isFree` means that its remaining work does not block other jobs of its kind. */
export interface Running extends Due {
  readonly isFree: boolean
}

/** Maximum number of parallel jobs of each kind in this process. */
export type Places = Readonly<Record<Job['kind'], number>>

/** Limits of due times that do not depend on the job records, in Unix ms. */
export interface Since {
  /** Due times before this moment are ignored. */
  readonly notBefore: number
  /** Start of the process. A restart usually follows a fix, so failed jobs are retried immediately. */
  readonly restartedAt: number
}

/**
 * Returns the next run of a job and its scheduled time. A single run makes up for all missed runs. The result depends
 * only on the last run and the cron expression, so a restart does not change it.
 * - A job that never ran is due immediately, syncs before reports.
 * - A failed run is retried after 10 and after 30 minutes, and when the process restarts. An interrupted or stopped
 *   run is retried immediately, and an incomplete delivery for most of a day. Retries keep the original due time.
 * - A report that waits for data checks for it every ten minutes.
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
  // Limits retries of a job that crashes the process each time.
  if (outcome === 'interrupted') return wait === undefined ? null : ended
  if (ended < restartedAt) return restartedAt
  // A retry would be refused again, unless a person changes something.
  if (outcome === 'refused') return null
  return wait === undefined ? null : ended + wait
}

/**
 * Returns the jobs that can start now, in order. Includes jobs that other processes began. Whether such a process has
 * died is only known after an attempt to lease its job.
 *
 * A report waits for every sync that was due before it, even on other machines, because it needs the new data. It does
 * not wait for later syncs, as it could then wait forever. It also does not wait for syncs that run for hours, or for
 * syncs that are blocked by those.
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

/**
 * Whether a report waits for a sync. The due time of a new job is the first check by its machine, which differs between
 * machines.
 */
function isBefore(sync: JobState, report: JobState): boolean {
  const due = dueOf(sync)
  return due <= dueOf(report) || (isNew(report) && sync.job.cron.last(due) !== due)
}

/** Jobs that never ran come first, because they could otherwise wait forever. The others are sorted by due time. */
const isNew = ({ record }: JobState) => record.startedAt === null

function dueOf({ record, nextRunAt, due }: JobState): number {
  return isBegun(record) ? (record.dueAt ?? record.startedAt!) : (due ?? nextRunAt!)
}

/** Whether this process can start another job of a kind. */
export function hasPlace(kind: Job['kind'], running: readonly Running[], places: Places): boolean {
  return running.filter(({ job, isFree }) => job.kind === kind && !isFree).length < places[kind]
}

/** Whether a job is running, or was interrupted when its process died. */
export function isBegun({ startedAt, outcome }: JobRecord): boolean {
  return startedAt !== null && outcome === null
}
