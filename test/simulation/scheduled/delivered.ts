/** A message of a scheduled report, as a webhook received it. */
export interface Delivered {
  readonly report: string
  /** Local dates, `2026-03-01..2026-04-01`, the end exclusive. */
  readonly period: string
  readonly isComplete: boolean
  /** When the data of the message was read, Unix seconds. */
  readonly asOf: number
  /** When the message was delivered, Unix seconds. */
  readonly at: number
  /** Whether the page exists at the address in the message. */
  readonly hasPage: boolean
}

/** A delivered handover, with the ids of the incidents on it. */
export interface Handover extends Pick<Delivered, 'asOf' | 'at'> {
  readonly incidents: readonly string[]
}

/** An incident of the service. */
export interface Happened {
  readonly id: string
  /** Unix seconds. */
  readonly startedAt: number
  /** When the service first returned it, Unix seconds. */
  readonly listedAt: number
}

/** A due time of a report about a period. */
export interface Due {
  readonly report: string
  readonly period: string
}
