/** What happened on a day, as the configuration names it. */
export interface FrameEvent {
  name: string
  /** `2026-03-14`. */
  day: string
}

/** The period of a report in local time; dates are `2026-08-03`, the end is exclusive. */
export interface Frame {
  timezone: string
  from: string
  to: string
  /** Local time at which the data was read. */
  asOf: string
  asOfInstant: Date
  /** `3 Aug – 1 Nov 2026`. */
  label: string
  /** Trends are drawn by month, as of a period of more than a year; else by week. */
  bucket?: 'month'
  /** `13 weeks`. */
  span: string
  /** `4 May – 2 Aug 2026`, or null when the data does not reach that far back. */
  previousLabel: string | null
  /** Names of the accounts, where the warehouse holds several. */
  accounts: string | null
  /** `All teams`, or the chosen ones. */
  teams: string
  severities: string
  /** What happened, in the order of time; absent where nothing is configured. */
  events?: readonly FrameEvent[]
  /** `service: checkout`, where values of dimensions are chosen. */
  dimensions?: string
  /** `21,204 left out: test channels`, where the configuration leaves more than 1 % out. */
  leftOut?: string
  /** How much of the period the data covers, in words. */
  coverage: string
}
