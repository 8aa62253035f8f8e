import type { Format } from '../spec.ts'
import type { Part } from './inline-text.ts'

/** A reason such as `closed since`, with the number of affected incidents (0 if unknown) and up to three examples. */
export interface RestatementReason {
  reason: string
  incidents: number
  examples: readonly string[]
}

/** Figures that have changed since an earlier run for the same period, and the reasons. */
export interface Restatement {
  asOf: string
  figures: readonly {
    label: string
    before: readonly Part[]
    now: readonly Part[]
    nBefore: number | null
    nNow: number | null
    reasons: readonly RestatementReason[]
  }[]
  unchanged: number
  reasons: readonly RestatementReason[]
}

/** Stored facts of a run, for comparison by later runs. See `warehouse/read/report-runs.ts`. */
export interface RunFacts {
  report: string
  /** Local days. The end is exclusive. */
  period_from: string
  period_to: string
  timezone: string
  account: string
  team: string
  severity: string
  as_of_at: string
  /** Changes whenever the report’s text, a definition or a setting changes. */
  definition: string
  /** One per card, by `query.column`. `value` is seconds, a share or a number. */
  figures: readonly {
    figure: string
    label: string
    format: Format
    value: number | null
    n: number | null
  }[]
}
