/** A message of a report that a target has accepted. */
export interface Delivery {
  /** Identifies the message by report, parameters, due time and target. */
  readonly key: string
  readonly report: string
  readonly due: string
}

/** The ledger of all deliveries of reports from one warehouse, by any process. */
export interface Deliveries {
  /** Returns when each message of a report was sent, ISO, by its key. */
  sent(report: string): Promise<ReadonlyMap<string, string>>
  /** Records a message after its target has accepted it. */
  note(delivery: Delivery): Promise<void>
}
