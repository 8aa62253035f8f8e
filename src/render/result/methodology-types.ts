/** A headline duration computed by one rule, in seconds. Null if there are no incidents. */
export interface RuleFigure {
  measure: string
  rule: string
  isChosen: boolean
  n: number
  median: number | null
  mean: number | null
}

export interface Methodology {
  rules: readonly { term: string; text: string }[]
  funnel: readonly { label: string; count: number; exclusion?: string }[]
  /** The headline durations, computed by each of the common rules. Absent if there are no incidents. */
  sensitivity?: readonly RuleFigure[]
}

/** Result of a check of the report or of data quality. After an `error` the page is still written, with exit status 3. */
export interface Gate {
  /** Name given by the author, or that of a data quality check, such as `coverage`, `age` or `last sync`. */
  name: string
  origin: 'report' | 'data quality'
  state: 'ok' | 'warn' | 'error'
  /** One sentence of plain text. It can contain untrusted data. */
  message: string
}

export interface Coverage {
  /** 0 to 1, or null if the warehouse has no record of what was read. */
  share: number | null
  /** Gaps in local time such as `2026-08-03T00:00:00`, oldest first. The end is exclusive. */
  gaps: readonly { from: string; to: string }[]
  /** Local time up to which the period was read, or null if unknown. */
  readAt: string | null
}
