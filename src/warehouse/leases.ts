/** A lock among all machines that share a warehouse. It ends with its process, or some time after its last word. */
export interface Lock {
  /** Aborted when the lock was lost, before it is given to another. */
  readonly lost: AbortSignal
  /** @throws when the lock was lost: then nothing may be written that it guards */
  confirm(): Promise<void>
  release(): Promise<void>
}

/** The right to write an account, of one process at a time. */
export interface Lease extends Lock {
  /** How often the account was leased: whoever has an older one may not publish any more. */
  readonly epoch: bigint
}
