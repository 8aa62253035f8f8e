/** A message of a report that a target has accepted. */
export interface Delivery {
  /** What it is known by: of report, parameters, due time and target. */
  readonly key: string
  readonly report: string
  /** The time it was for, ISO. */
  readonly due: string
}

/** The ledger of deliveries: what was sent from a warehouse, by any process. */
export interface Deliveries {
  /** When each message of a report was sent, ISO, by its key. */
  sent(report: string): Promise<ReadonlyMap<string, string>>
  /** Notes a message after its target has accepted it. */
  note(delivery: Delivery): Promise<void>
}
