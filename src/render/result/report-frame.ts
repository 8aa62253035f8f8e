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
  /** `13 weeks`. */
  span: string
  /** `4 May – 2 Aug 2026`, or null when the data does not reach that far back. */
  previousLabel: string | null
  /** Names of the accounts, where the warehouse holds several. */
  accounts: string | null
  /** `All teams`, or the chosen ones. */
  teams: string
  severities: string
  /** How much of the period the data covers, in words. */
  coverage: string
}
