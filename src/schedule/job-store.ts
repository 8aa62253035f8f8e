import type { Job } from './jobs.ts'

/**
 * How a run ended. `partial`: it did its work, and something is to be looked at. `refused`: its report was made, and somebody does not
 * get it until a person has changed something. `undelivered`: its report was made, and did
 * not get to everyone yet. `waiting`: a report waits for data that it is to show. `stopped`: the process was stopped, and tidied up. `interrupted`: the process died.
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

/** What is remembered of a job over restarts. All times are Unix ms. */
export interface JobRecord {
  /** When the job was first planned: what lies before was never due. */
  readonly since: number
  /** What the last run was for: a time of the schedule, or `since`. Retries of it are for the same. */
  readonly dueAt: number | null
  /** Of the last run, however it ended; null before the first. */
  readonly startedAt: number | null
  readonly finishedAt: number | null
  /** Null while it runs, and before the first run. */
  readonly outcome: Outcome | null
  /** When the last run that did its work ended. */
  readonly succeededAt: number | null
  /** The error of the last run, or what is to be looked at after it. */
  readonly error: string | null
  /** Runs in a row, the last one included, that did not do their work. */
  readonly failures: number
  /** Those of them that were for that due time: which retry comes next. */
  readonly tries: number
}

/** A job that was never run. */
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

/** Whether a run did what it could: one that waits for data did. */
export function isDone(outcome: Outcome | null): boolean {
  return outcome === 'ok' || outcome === 'partial' || outcome === 'waiting'
}

/** The record of a job after a run. One that was stopped is not counted as a failure. */
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

/** The tries before a run for a due time: each night has retries of its own, however the last one ended. */
export function triesFor(dueAt: number, before: JobRecord): number {
  return before.dueAt === dueAt ? before.tries : 0
}

/** A record after the clock was set back: what lies ahead of `now` counts as now, or the job would wait for it. */
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

/** The newest run in the warehouse's `sync_runs`, by hand or by the schedule; Unix ms. */
export interface LastRun {
  readonly startedAt: number
  /** Null when it was interrupted. */
  readonly finishedAt: number | null
  readonly status: 'ok' | 'partial' | 'failed' | 'interrupted'
}

/**
 * The record of a sync by the health file and the warehouse. The warehouse knows runs that were started by hand; the
 * health file those that failed before they could write anything.
 * @param lastRun null when the warehouse has no run
 */
export function withLastRun(record: JobRecord | undefined, lastRun: LastRun | null): JobRecord | undefined {
  // The warehouse is gone or new: a good run in the health file was one of another warehouse.
  if (lastRun === null) return record && record.failures > 0 ? record : undefined
  const known = record?.finishedAt ?? record?.startedAt ?? null
  if (record && known !== null && lastRun.startedAt <= known) return record
  // One that died before the file was written again: the file knows what it was for, and how often it died.
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

/** What is known of all jobs at a moment. */
export interface KnownJobs {
  /** That moment by the clock of the store, Unix ms. */
  readonly now: number
  /** By the name of the job, one for each. One that was begun and has no outcome runs somewhere, or its process died. */
  readonly records: ReadonlyMap<string, JobRecord>
  /** By the name of the job, who ran it last; for people. */
  readonly holders: ReadonlyMap<string, string>
}

/** The right to run a job, of one process at a time. */
export interface JobLease {
  /** The moment at which it was leased, by the clock of the store, Unix ms. */
  readonly now: number
  /** As it was then. Nobody runs it, so that one that was begun has an outcome. */
  readonly record: JobRecord
  /** Aborted when the lease was lost, before another process can have it. */
  readonly lost: AbortSignal
  /** Notes that a run begins, and which time it is for, Unix ms. */
  begin(due: number): Promise<void>
  /** Notes how the run ended. @throws where that cannot be noted: then it is due again */
  end(record: JobRecord): Promise<void>
  release(): Promise<void>
}

/** Where jobs are remembered: by one process in its health file, or by all machines of a lake in PostgreSQL. */
export interface JobStore {
  /** What it is called in the log. */
  readonly name: string
  /** How often to look whether something is due, milliseconds. */
  readonly lookMs: number
  read(): Promise<KnownJobs>
  /** Leases a job; undefined while another process has it. */
  lease(job: Job): Promise<JobLease | undefined>
}
