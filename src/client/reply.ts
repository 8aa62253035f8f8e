/** What came of a call: its data, the id to quote to the service, the size of the answer's body in bytes, and when. */
export interface Reply<T> {
  data: T
  requestId: string
  bytes: number
  /** The service's clock as its answer told it, milliseconds since the epoch; null when it did not. */
  serviceTime: number | null
}
