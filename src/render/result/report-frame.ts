export interface FrameEvent {
  name: string
  day: string
}

/** The period and scope of a report. Dates are local, such as `2026-08-03`, and the end is exclusive. */
export interface Frame {
  timezone: string
  from: string
  to: string
  /** Local time of the last read. */
  asOf: string
  asOfInstant: Date
  /** `3 Aug – 1 Nov 2026`. */
  label: string
  /** Set if trends are drawn by month, because the period exceeds a year. Otherwise they are drawn by week. */
  bucket?: 'month'
  /** `13 weeks`. */
  span: string
  /** `4 May – 2 Aug 2026`, or null if the data does not cover it. */
  previousLabel: string | null
  /** Names of the accounts. Null if the warehouse contains only one. */
  accounts: string | null
  /** `All teams`, or the selected ones. */
  teams: string
  severities: string
  events?: readonly FrameEvent[]
  /** `service: checkout`, if dimension values are selected. */
  dimensions?: string
  /** `21,204 excluded: test channels`, if configured exclusions exceed 1%. */
  leftOut?: string
  coverage: string
}
