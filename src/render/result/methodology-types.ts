/** A headline time under one rule, over the incidents of the period. Seconds; null without any. */
export interface RuleFigure {
  /** `time to ack` or `time to resolve`. */
  measure: string
  rule: string
  /** The rule of this report. */
  isChosen: boolean
  n: number
  median: number | null
  mean: number | null
}

/** Which incidents were counted, and how many were left out. */
export interface Methodology {
  rules: readonly { term: string; text: string }[]
  /** `exclusion`: its name, where the configuration left these out. */
  funnel: readonly { label: string; count: number; exclusion?: string }[]
  /** The headline times under every rule in use; absent without incidents. */
  sensitivity?: readonly RuleFigure[]
}

/**
 * A condition on a figure, of the report (`fail_if`, `warn_if`) or of data quality. Those not `ok` are shown above the
 * figures; with `error` the page is written and the exit status is 3.
 */
export interface Gate {
  /** As the author named it, or the check of data quality: `coverage`, `age`, `quarantined`, `last sync` … */
  name: string
  origin: 'report' | 'data quality'
  state: 'ok' | 'warn' | 'error'
  /** One sentence of plain text. It may hold data, so it is untrusted like any value. */
  message: string
}

/** How much of the period was read from the service. */
export interface Coverage {
  /** 0 to 1; null when the warehouse has no record of it. */
  share: number | null
  /** What was not read, in local time, `2026-08-03T00:00:00`, the end exclusive; oldest first. */
  gaps: readonly { from: string; to: string }[]
  /** Local time of the last read in the period; null when not known. */
  readAt: string | null
}
