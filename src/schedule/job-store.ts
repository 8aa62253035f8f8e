import type { JobRecord } from './job-record.ts'
import type { Job } from './jobs.ts'

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
