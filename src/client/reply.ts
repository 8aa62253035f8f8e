/** Part of an answer, taken out of its bytes before anything was parsed, and the JSON of what is left. */
export interface Taken<Bulk> {
  readonly bulk: Bulk
  readonly rest: string
}

/** Takes the bulk out of an answer's body, given as it came, in parts; undefined where it has to be parsed whole. */
export type Take<Bulk> = (body: readonly Buffer[]) => Taken<Bulk> | undefined

/** What came of a call: its data, the id to quote to the service, the size of the answer's body in bytes, and when. */
export interface Reply<T, Bulk = unknown> {
  data: T
  /** What was taken out of it, where it was asked for and could be. */
  bulk?: Bulk | undefined
  requestId: string
  bytes: number
  /** The service's clock as its answer told it, milliseconds since the epoch; null when it did not. */
  serviceTime: number | null
}
