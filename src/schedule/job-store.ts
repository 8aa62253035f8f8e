import type { Job } from './jobs.ts'

/**
 * Result of a run.
 * - `partial`: the run succeeded, but a person should read its messages.
 * - `waiting`: the report waits for data.
 * - `refused`: a recipient rejects the report until a person changes something.
 * - `undelivered`: not all recipients have the report yet.
 * - `stopped`: the process was stopped and ended the run.
 * - `interrupted`: the process crashed.
 */
export type Outcome = RunResult['outcome'] | 'stopped' | 'interrupted'

export interface RunResult {
  readonly outcome: 'ok' | 'partial' | 'waiting' | 'refused' | 'undelivered' | 'failed'
  readonly error: string | null
}

/** Stored facts about a job, so that it survives a restart. Times are Unix ms. */
export interface JobRecord {
  /** When the job was first configured. Due times before this moment are ignored. */
  readonly since: number
  /** Due time of the last run. A retry keeps the due time of the failed run. */
  readonly dueAt: number | null
  /** Start of the last run. Null if the job never ran. */
  readonly startedAt: number | null
  readonly finishedAt: number | null
  /** Null while the job runs, and before its first run. */
  readonly outcome: Outcome | null
  readonly succeededAt: number | null
  readonly error: string | null
  /** Number of consecutive failed runs, including the last one. */
  readonly failures: number
  /** Number of failed runs for the due time in `dueAt`, which determines the wait before the next retry. */
  readonly tries: number
}

export function newRecord(since: number): JobRecord {
  return {
    since,
    dueAt: null,
    startedAt: null,
    finishedAt: null,
    outcome: null,
    succeededAt: null,
    error: null,
    failures: 0,
    tries: 0,
  }
}

/** Whether an outcome counts as success. `waiting` does, because a report that waits for data has its own retries. */
export function isDone(outcome: Outcome | null): boolean {
  return outcome === 'ok' || outcome === 'partial' || outcome === 'waiting'
}

/** Updates the record after a run. A stopped run does not count as a failure. */
export function afterRun(
  before: JobRecord,
  run: { dueAt: number; startedAt: number; finishedAt: number; outcome: Outcome; error: string | null },
): JobRecord {
  const done = isDone(run.outcome)
  const counted = done || run.outcome === 'stopped' ? 0 : 1
  return {
    since: before.since,
    ...run,
    succeededAt: done ? run.finishedAt : before.succeededAt,
    failures: done ? 0 : before.failures + counted,
    tries: done ? 0 : triesFor(run.dueAt, before) + counted,
  }
}

export function triesFor(dueAt: number, before: JobRecord): number {
  return before.dueAt === dueAt ? before.tries : 0
}

/** Replaces future times with `now`. Otherwise, the job would wait for these times after the clock was set back. */
export function notAhead(record: JobRecord, now: number): JobRecord {
  const since = Math.min(record.since, now)
  return { ...record, ...mapTimes(record, (time) => time && Math.min(time, now)), since }
}

const TIMES = ['since', 'dueAt', 'startedAt', 'finishedAt', 'succeededAt'] as const
export type TimeField = (typeof TIMES)[number]

export function mapTimes<From, To>(
  record: Readonly<Record<TimeField, From>>,
  convert: (time: From) => To,
): Record<TimeField, To> {
  return Object.fromEntries(TIMES.map((field) => [field, convert(record[field])])) as Record<TimeField, To>
}

export function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

/** The newest manual or scheduled run in the table `sync_runs`. Times are Unix ms. */
export interface LastRun {
  readonly startedAt: number
  /** Null if the run was interrupted. */
  readonly finishedAt: number | null
  readonly status: 'ok' | 'partial' | 'failed' | 'interrupted'
}

/**
 * Merges two records of a sync. Only the warehouse contains manual runs, and only the health file contains runs that
 * failed before they could write to the warehouse.
 */
export function withLastRun(record: JobRecord | undefined, lastRun: LastRun | null): JobRecord | undefined {
  // The warehouse has no runs yet, so a success in the health file belongs to an earlier warehouse that was deleted.
  if (lastRun === null) return record && record.failures > 0 ? record : undefined
  const known = record?.finishedAt ?? record?.startedAt ?? null
  if (record && known !== null && lastRun.startedAt <= known) return record
  // Both records describe the same run. Only the health file contains its due time and tries.
  if (record?.outcome === 'interrupted' && lastRun.status === 'interrupted') return record
  const done = isDone(lastRun.status)
  return {
    since: record?.since ?? lastRun.startedAt,
    dueAt: lastRun.startedAt,
    startedAt: lastRun.startedAt,
    finishedAt: lastRun.finishedAt,
    outcome: lastRun.status,
    succeededAt: done ? lastRun.finishedAt : (record?.succeededAt ?? null),
    error: done ? null : 'see `faultline status`',
    failures: done ? 0 : 1,
    tries: done ? 0 : 1,
  }
}

export interface KnownJobs {
  /** Current time by the clock of the store (Unix ms). */
  readonly now: number
  /** Records by job name. A job without an outcome is running somewhere, or its process died. */
  readonly records: ReadonlyMap<string, JobRecord>
  /** Display name of the process that last ran each job, by job name. */
  readonly holders: ReadonlyMap<string, string>
}

/** The right to run a job, which one process has at a time. */
export interface JobLease {
  /** Time of the lease by the clock of the store (Unix ms). */
  readonly now: number
  /** Record of the job. If the process that ran the job has died, the record shows the run as interrupted. */
  readonly record: JobRecord
  /** Aborts when this process loses the lease, before another process can lease the job. */
  readonly lost: AbortSignal
  /** Records the start of a run for a due time (Unix ms). */
  begin(due: number): Promise<void>
  /** Records the end of a run. @throws if the store is unreachable, and then the job is due again */
  end(record: JobRecord): Promise<void>
  release(): Promise<void>
}

/** Storage of job records: the health file of one process, or PostgreSQL for all machines of a lake. */
export interface JobStore {
  readonly name: string
  /** Interval between checks for due jobs, in milliseconds. */
  readonly lookMs: number
  read(): Promise<KnownJobs>
  /** Leases a job. Undefined if another process has the lease. */
  lease(job: Job): Promise<JobLease | undefined>
}
