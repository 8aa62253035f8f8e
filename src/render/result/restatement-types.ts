import type { Format } from '../spec.ts'
import type { Part } from './inline-text.ts'

/** `closed since`, `with another severity` …, of how many incidents (0 is of none), with the numbers of up to three. */
export interface RestatementReason {
  reason: string
  incidents: number
  examples: readonly string[]
}

/** The figures of an earlier run on the same period that have changed since, and why. */
export interface Restatement {
  /** Local time at which that run's data had been read. */
  asOf: string
  /** Only figures that changed, in the order of the report. */
  figures: readonly {
    label: string
    before: readonly Part[]
    now: readonly Part[]
    nBefore: number | null
    nNow: number | null
    /** What changed it, most incidents first; never empty. */
    reasons: readonly RestatementReason[]
  }[]
  /** How many did not change. */
  unchanged: number
  /** Of all these figures, most incidents first. */
  reasons: readonly RestatementReason[]
}

/** What is kept of a run, so that a later one can tell what changed; see `warehouse/read/report-runs.ts`. */
export interface RunFacts {
  report: string
  /** Local days, the end exclusive. */
  period_from: string
  period_to: string
  timezone: string
  account: string
  team: string
  severity: string
  /** ISO, UTC. */
  as_of_at: string
  /** Changes when the report's text, a definition or a setting does. */
  definition: string
  /** One for each card, by `query.column`; `value` is seconds, a share or a number. */
  figures: readonly {
    figure: string
    label: string
    format: Format
    value: number | null
    n: number | null
  }[]
}
