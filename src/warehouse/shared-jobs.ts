import type { Lease } from './leases.ts'

/** What all workers remember of a job: its last run. Times are Unix ms by PostgreSQL's clock. */
export interface StoredJob {
  /** When that run was due. */
  readonly dueAt: number
  readonly startedAt: number
  /** Null while it runs, and when the worker died. */
  readonly finishedAt: number | null
  readonly outcome: string | null
  /** Runs in a row that did not do their work. */
  readonly failures: number
  /** Which process of which machine ran it. */
  readonly holder: string
}

/** The right to run a job now. */
export interface SharedLease extends Lease {
  /** When it was given. */
  readonly now: number
  /** As it was then; undefined when it was never run. */
  readonly before: StoredJob | undefined
  begin(dueAt: number): Promise<void>
  /** Notes how it ended. */
  end(outcome: string, failures: number): Promise<void>
}

/** What all workers know. */
export interface KnownJobs {
  /** What time it is, by PostgreSQL's clock. */
  readonly now: number
  readonly jobs: ReadonlyMap<string, StoredJob>
  /** The accounts of keys that were used before, by the digest of the key. */
  readonly accounts: ReadonlyMap<string, bigint>
}

/** The jobs that several machines do together, and what all know of them. */
export interface SharedJobs {
  /** What is remembered of each job, and what time it is. */
  read(): Promise<KnownJobs>
  /**
   * Leases a job; undefined while another worker has it. Whoever dies gives it back.
   * @param stored finds it among all, where it was known by another name once
   */
  lease(job: string, stored: (known: KnownJobs) => StoredJob | undefined): Promise<SharedLease | undefined>
  /** Remembers which account a key is of. */
  recordKey(digest: string, accountId: bigint): Promise<void>
}
