/** Where a run stands, for whoever shows it. */
export interface Progress {
  /** The account being read, where it has a name. */
  readonly account?: string
  /** The resource being read. */
  readonly resource: string
  readonly slicesDone: number
  readonly slicesPlanned: number
  readonly requests: number
  /** Requests the plan expected; a guess that grows when it was too low. */
  readonly requestsPlanned: number
  readonly throttled: number
  readonly rows: number
  readonly seconds: number
}
