import type { Job } from './jobs.ts'

/**
 * Result of a run. `partial` means that a person should read its messages. `refused` means that a recipient rejects the
 * report until a person changes something. `undelivered` means that not all recipients have the report yet. `waiting` means
 * that a report waits for data. `stopped` is a clean stop, `interrupted` a crash.
 */
export type Outcome =
  | 'ok'
  | 'partial'
  | 'waiting'
  | 'refused'
  | 'undelivered'
  | 'failed'
  | 'stopped'
  | 'interrupted'

/** Stored state of a job, which survives restarts. All times are Unix ms. */
export interface JobRecord {
  /** When the job was first planned. Earlier due times do not count. */
  readonly since: number
  /** Scheduled time of the last run, or `since`. Retries keep it. */
  readonly dueAt: number | null
  /** Start of the last run, regardless of its outcome. Null before the first. */
  readonly startedAt: number | null
  readonly finishedAt: number | null
  /** Null while it runs, and before the first run. */
  readonly outcome: Outcome | null
  readonly succeededAt: number | null
  readonly error: string | null
  /** Number of consecutive failed runs, including the last one. */
  readonly failures: number
  /** Failed attempts for the current due time. Their number determines the next retry. */
  readonly tries: number
}

/** Returns the record of a job that never ran. */
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

/** Whether a run did its work. A report that waits for data counts as done. */
export function isDone(outcome: Outcome | null): boolean {
  return outcome === 'ok' || outcome === 'partial' || outcome === 'waiting'
}

/** Returns the record of a job after a run. A stopped run is not a failure. */
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

/** Returns the number of previous tries for a due time. Each due time has its own retries. */
export function triesFor(dueAt: number, before: JobRecord): number {
  return before.dueAt === dueAt ? before.tries : 0
}

/** Replaces times in the future with `now`. If the clock was set back, the job would otherwise wait for these times. */
export function notAhead(record: JobRecord, now: number): JobRecord {
  const cap = (time: number | null) => (time === null ? null : Math.min(time, now))
  return {
    ...record,
    since: Math.min(record.since, now),
    dueAt: cap(record.dueAt),
    startedAt: cap(record.startedAt),
    finishedAt: cap(record.finishedAt),
    succeededAt: cap(record.succeededAt),
  }
}

/** The newest run in `sync_runs`, whether manual or scheduled. Times are Unix ms. */
export interface LastRun {
  readonly startedAt: number
  /** Null if interrupted. */
  readonly finishedAt: number | null
  readonly status: 'ok' | 'partial' | 'failed' | 'interrupted'
}

/**
 * Merges the record of a sync with the last run in the warehouse. The warehouse contains manual runs. The health file
 * contains runs that failed before they could write to the warehouse.
 * @param lastRun null if the warehouse has not been synced yet
 */
export function withLastRun(record: JobRecord | undefined, lastRun: LastRun | null): JobRecord | undefined {
  // The warehouse is new or was deleted, so a successful run in the health file belongs to another warehouse.
  if (lastRun === null) return record && record.failures > 0 ? record : undefined
  const known = record?.finishedAt ?? record?.startedAt ?? null
  if (record && known !== null && lastRun.startedAt <= known) return record
  // The process died before the health file was written again, so the due time and tries in the file are current.
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
  /** Time by the clock of the store, Unix ms. */
  readonly now: number
  /** Records by job name. A job without an outcome is running somewhere, or its process died. */
  readonly records: ReadonlyMap<string, JobRecord>
  /** Name of the process that last ran each job, for people. */
  readonly holders: ReadonlyMap<string, string>
}

export interface JobLease {
  /** Time of the lease by the clock of the store, Unix ms. */
  readonly now: number
  /** Record at that time. A run that had begun is recorded as interrupted, because nobody else runs the job. */
  readonly record: JobRecord
  /** Aborted when the lease is lost, before another process can take it. */
  readonly lost: AbortSignal
  /** Records the start of a run for a due time (Unix ms). */
  begin(due: number): Promise<void>
  /** Records the end of a run. @throws if this fails. The job is then due again */
  end(record: JobRecord): Promise<void>
  release(): Promise<void>
}

/** Storage of job records, in the health file of one process or in PostgreSQL for all machines of a lake. */
export interface JobStore {
  readonly name: string
  /** Interval between checks for due jobs, in milliseconds. */
  readonly lookMs: number
  read(): Promise<KnownJobs>
  /** Leases a job. Undefined while another process holds its lease. */
  lease(job: Job): Promise<JobLease | undefined>
}
