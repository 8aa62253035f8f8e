/** What a run is about, the same for all its parts. All times are Unix seconds. */
export interface SyncScope {
  /** The service's clock. */
  readonly now: number
  /** The oldest start time wanted. */
  readonly since: number
  /** The newest, when the user asked for less than up to now. */
  readonly until?: number
  /** Days before now that are read again every run. */
  readonly lookbackDays: number
  /** Longest window to ask for; never above the contract's. */
  readonly windowSeconds: number
  /** Read everything again, whatever was read before. */
  readonly full: boolean
}
