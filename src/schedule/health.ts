import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { replaceFile } from '../effects.ts'
import type { JobState } from './due.ts'
import type { JobRecord, Outcome } from './job-store.ts'

/** A job in the health file. Times are ISO in UTC, null if unknown. */
export interface JobHealth {
  readonly schedule: string
  readonly timezone: string
  readonly nextRunAt: string | null
  readonly since: string
  readonly dueAt: string | null
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly outcome: Outcome | 'running' | null
  readonly succeededAt: string | null
  readonly error: string | null
  /** Number of consecutive failed runs. `tries` counts only those for the last due time. */
  readonly failures: number
  readonly tries: number
}

/** State of the scheduler for monitoring, for `start --health`, and for its next start. */
export interface Health {
  readonly state: 'waiting' | 'running' | 'stopped'
  readonly pid: number
  readonly startedAt: string
  /** Rewritten every minute while the process runs. */
  readonly updatedAt: string
  readonly jobs: Readonly<Record<string, JobHealth>>
}

export function healthFileOf({ schedule }: Config): string {
  return schedule.healthFile
}

/** Path of a worker's health file. It is next to the file of `start`, because a machine can run both. */
export function workerHealthFileOf(config: Config): string {
  return healthFileOf(config).replace(/(\.json)?$/, '.worker$1')
}

export function healthOf(
  state: Health['state'],
  facts: { readonly pid: number; readonly startedAt: number; readonly now: number },
  jobs: readonly JobState[],
): Health {
  return {
    state,
    pid: facts.pid,
    startedAt: iso(facts.startedAt),
    updatedAt: iso(facts.now),
    jobs: Object.fromEntries(jobs.map((each) => [each.job.name, jobHealth(each)])),
  }
}

function jobHealth({ job, record, nextRunAt }: JobState): JobHealth {
  const isRunning = record.startedAt !== null && record.outcome === null
  return {
    schedule: job.cron.text,
    timezone: job.cron.timezone,
    nextRunAt: iso(nextRunAt),
    since: iso(record.since),
    dueAt: iso(record.dueAt),
    startedAt: iso(record.startedAt),
    finishedAt: iso(record.finishedAt),
    outcome: isRunning ? 'running' : record.outcome,
    succeededAt: iso(record.succeededAt),
    error: record.error,
    failures: record.failures,
    tries: record.tries,
  }
}

function iso(time: number): string
function iso(time: number | null): string | null
function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

/** Restores job records from the file. A job that the file shows as running counts as interrupted. */
export function recordsOf(health: Health): Map<string, JobRecord> {
  return new Map(
    Object.entries(health.jobs).map(([name, job]) => {
      const isInterrupted = job.outcome === 'running'
      const record: JobRecord = {
        since: ms(job.since) ?? 0,
        dueAt: ms(job.dueAt ?? null),
        startedAt: ms(job.startedAt),
        finishedAt: isInterrupted ? ms(health.updatedAt) : ms(job.finishedAt),
        outcome: job.outcome === 'running' ? 'interrupted' : job.outcome,
        succeededAt: ms(job.succeededAt),
        error: isInterrupted ? 'the process ended while it ran' : job.error,
        failures: job.failures + (isInterrupted ? 1 : 0),
        tries: (job.tries ?? 0) + (isInterrupted ? 1 : 0),
      }
      return [name, record]
    }),
  )
}

function ms(text: string | null): number | null {
  const time = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? null : time
}

/** Reads the health file. Null if it is missing or invalid. */
export function readHealth(path: string): Health | null {
  try {
    const { check, ...health } = JSON.parse(readFileSync(path, 'utf8'))
    return isHealth(health) && check === checkOf(health) ? health : null
  } catch {
    return null
  }
}

/** Checks only the required fields. Invalid dates are read as null. */
function isHealth(value: unknown): value is Health {
  const isObject = (one: unknown) => typeof one === 'object' && one !== null
  const health = value as Partial<Health>
  return (
    isObject(value) &&
    typeof health.updatedAt === 'string' &&
    isObject(health.jobs) &&
    Object.values(health.jobs!).every((job) => isObject(job) && typeof job.failures === 'number')
  )
}

/** Replaces the health file. @throws the file system's error */
export function writeHealth(path: string, health: Health): void {
  replaceFile(path, `${JSON.stringify({ ...health, check: checkOf(health) }, null, 2)}\n`)
}

/** Returns a checksum that detects a damaged file. Otherwise, one wrong digit could prevent a job from ever running. */
function checkOf(health: object): string {
  return createHash('sha256').update(JSON.stringify(health)).digest('hex').slice(0, 24)
}
