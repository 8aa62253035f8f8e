/**
 * A right of one process among all that share a warehouse, such as to write an account or to run a job. It ends with its process, or
 * some time after its last sign of life. What only keeps other processes of this machine away is a lock, see `file/file-lock.ts`.
 */
export interface Lease {
  /** Aborted when the lease was lost, before another process is given it. */
  readonly lost: AbortSignal
  /** @throws when the lease was lost: then nothing may be written that it guards */
  confirm(): Promise<void>
  release(): Promise<void>
}

/** The right to write an account. */
export interface AccountLease extends Lease {
  /** How often the account was leased: whoever has an older one may not publish any more. */
  readonly epoch: bigint
}
