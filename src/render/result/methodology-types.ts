/** A headline duration under one rule, in seconds. Null without incidents. */
export interface RuleFigure {
  measure: string
  rule: string
  isChosen: boolean
  n: number
  median: number | null
  mean: number | null
}

/** The rules of a report and its exclusion counts. */
export interface Methodology {
  rules: readonly { term: string; text: string }[]
  funnel: readonly { label: string; count: number; exclusion?: string }[]
  /** Headline durations under every common rule. Absent without incidents. */
  sensitivity?: readonly RuleFigure[]
}

/** Result of a check by the report or of data quality. After an `error` the page is written, with exit status 3. */
export interface Gate {
  /** Name by the author, or a data quality check such as `coverage`, `age`, `quarantined` or `last sync`. */
  name: string
  origin: 'report' | 'data quality'
  state: 'ok' | 'warn' | 'error'
  /** One sentence of plain text. It may contain untrusted data. */
  message: string
}

/** The part of the period that was read from the service. */
export interface Coverage {
  /** 0 to 1, or null if the warehouse has no record of it. */
  share: number | null
  /** Gaps in local time such as `2026-08-03T00:00:00`, oldest first. The end is exclusive. */
  gaps: readonly { from: string; to: string }[]
  /** Local time of the last read in the period, or null if unknown. */
  readAt: string | null
}
