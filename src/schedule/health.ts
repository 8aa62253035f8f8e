import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import { replaceFile } from '../effects.ts'
import { isBegun, type JobState } from './due.ts'
import { iso, type JobRecord, mapTimes, type Outcome, type TimeField } from './job-store.ts'

/** A job in the health file. Times are ISO strings in UTC, or null if unknown. */
export interface JobHealth
  extends Omit<JobRecord, TimeField | 'outcome'>,
    Readonly<Record<TimeField, string | null>> {
  readonly schedule: string
  readonly timezone: string
  readonly nextRunAt: string | null
  readonly outcome: Outcome | 'running' | null
}

/** Content of the health file. Monitoring, `start --health` and the next start of the scheduler read it. */
export interface Health {
  readonly state: 'waiting' | 'running' | 'stopped'
  readonly pid: number
  readonly startedAt: string
  /** Updated every minute while the process is running. */
  readonly updatedAt: string
  readonly jobs: Readonly<Record<string, JobHealth>>
}

/** Path of the health file of `lake work`. It differs from the file of `start`, because a machine can run both. */
export function workerHealthFileOf({ schedule }: Config): string {
  return schedule.healthFile.replace(/(\.json)?$/, '.worker$1')
}

/** Returns the content of the health file. @param facts facts about the process, with times in Unix ms */
export function healthOf(
  state: Health['state'],
  facts: { readonly pid: number; readonly startedAt: number; readonly now: number },
  jobs: readonly JobState[],
): Health {
  return {
    state,
    pid: facts.pid,
    startedAt: iso(facts.startedAt)!,
    updatedAt: iso(facts.now)!,
    jobs: Object.fromEntries(jobs.map((each) => [each.job.name, jobHealth(each)])),
  }
}

function jobHealth({ job, record, nextRunAt }: JobState): JobHealth {
  return {
    schedule: job.cron.text,
    timezone: job.cron.timezone,
    nextRunAt: iso(nextRunAt),
    ...{ ...record, ...mapTimes(record, iso) },
    outcome: isBegun(record) ? 'running' : record.outcome,
  }
}

/** Restores job records from the health file. A job that the file shows as running counts as interrupted. */
export function recordsOf(health: Health): Map<string, JobRecord> {
  const updatedAt = ms(health.updatedAt)
  return new Map(
    Object.entries(health.jobs).map(([name, { schedule: _, timezone: __, nextRunAt: ___, ...job }]) => {
      const { outcome, failures, tries } = job
      const times = mapTimes(job, ms)
      const record = { ...job, ...times, since: times.since ?? 0 }
      if (outcome !== 'running') return [name, { ...record, outcome }]
      const error = 'the process ended while it ran'
      const failed = { finishedAt: updatedAt, error, failures: failures + 1, tries: tries + 1 }
      return [name, { ...record, ...failed, outcome: 'interrupted' }]
    }),
  )
}

function ms(text: string | null): number | null {
  const time = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) ? null : time
}

export function readHealth(path: string): Health | null {
  try {
    const { check, ...health } = JSON.parse(readFileSync(path, 'utf8'))
    return isHealth(health) && check === checkOf(health) ? health : null
  } catch {
    return null
  }
}

/** Whether the required fields exist. Dates are not checked, because an invalid date is later read as null. */
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

/** Returns a checksum, to detect a damaged file. One wrong digit in a time could prevent a job from ever running. */
function checkOf(health: object): string {
  return createHash('sha256').update(JSON.stringify(health)).digest('hex').slice(0, 24)
}
