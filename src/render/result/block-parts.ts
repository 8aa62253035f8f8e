import type { TableColumn } from '../spec.ts'
import type { Inline, Part, Tone } from './inline-text.ts'
import type { QueryResult, Value } from './query-result.ts'

/** The change of a figure from the previous period, and whether it is significant. */
export interface Change {
  tone: Tone
  /** `up` or `down` only if the change is significant at 1%. */
  direction: 'up' | 'down' | 'none'
  /** Size of the change, such as `10%` or `5 points`. Empty if `direction` is `none`. */
  amount: string
  /** A fixed phrase such as `faster` or `possibly faster`, or the reason why nothing is compared. */
  verdict: string
  /** The verdict within a sentence, such as `10% faster`. */
  words: string
  /** 95% CI of the change. Empty if nothing is compared. */
  note: string
  /** Whether the previous count is 0, so that a percentage would be undefined. */
  isFromNone?: boolean
  /** Null if nothing is compared. */
  previous: readonly Part[] | null
  /** The change adjusted to a constant mix of severities, if that is different. */
  mix?: string
  /** The detectable change and a note on autocorrelation, if they apply. */
  reach?: string
}

export interface KpiCard {
  label: string
  value: readonly Part[]
  /** Null if the card does not count incidents. */
  n: number | null
  interval: readonly [readonly Part[], readonly Part[]] | null
  change: Change | null
  /**
   * `isNoise` means that the result could be chance, because the interval includes the target or because of `isFew`.
   */
  target: { text: string; met: boolean; isNoise?: boolean; isFew?: boolean } | null
  trend: readonly { at: string; value: number | null }[]
  link?: string | null
}

/** The expected range of single values. `judged` is false if there are too few points to call a value unusual. */
export interface UsualRange {
  low: number
  centre: number
  high: number
  points: number
  judged: boolean
  /** `by means of 26 points`, or the reason why no value is called unusual. */
  note: string
}

/** The incident list of each row, by id, or by address within a page. */
export type Links = ReadonlyMap<readonly Value[], string>

/** The lead of a report, with the most important finding first. */
export interface FindingsBlock {
  kind: 'findings'
  /** Up to three sentences. `section` is the anchor of the evidence. */
  lines: readonly { text: readonly Inline[]; section: string | null }[]
  /** Other red figures on the page. May be empty. */
  also: readonly Inline[]
  /** Text before `rest`, such as `Overall: ` or `No significant change: `. */
  start: string
  rest: readonly Inline[]
  /** Incidents that need attention now, for a page about a period. May be empty. */
  open: readonly Inline[]
  /** Recommended actions, without `Next: `. May be empty. */
  next: readonly Inline[]
}

export interface TableBlock {
  kind: 'table'
  section?: string
  title: readonly Inline[]
  subtitle: readonly Inline[]
  columns: readonly TableColumn[]
  data: QueryResult
  empty: string
  limit: number
  links?: ReadonlyMap<string, Links>
}
