import type { Format, TableColumn } from './spec.ts'

/** A cell of a query result, with the same types as cells of the warehouse. */
export type Value = null | boolean | number | bigint | string | Date | Value[] | { [key: string]: Value }

/** A column of a query result. `type` is a type of DuckDB. */
export interface QueryColumn {
  name: string
  type: string
  unit?: 's'
}

/** The result of a query in a report. */
export interface QueryResult {
  name: string
  sql: string
  columns: readonly QueryColumn[]
  rows: readonly (readonly Value[])[]
}

/** A piece of a formatted value: a figure or its unit. */
export interface Part {
  text: string
  unit?: true
}

/** The meaning of a change. Only `better` and `worse` have a color. */
export type Tone = 'better' | 'worse' | 'same'

/** A part of a sentence. Texts of incidents must be in `value` or `text`, which renderers escape. */
export type Inline =
  | { kind: 'text'; text: string }
  /** `list` is the id of the incident list, and `href` its address within a page. */
  | { kind: 'value'; parts: readonly Part[]; tone?: Tone; list?: string; href?: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'emphasis'; content: readonly Inline[] }
  | { kind: 'link'; href: string; content: readonly Inline[] }

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
  /** Set for periods of more than a year, whose trends are drawn by month instead of week. */
  bucket?: 'month' | undefined
  /** `13 weeks`. */
  span: string
  /** `4 May – 2 Aug 2026`, or null if the data does not cover it. */
  previousLabel: string | null
  /** Names of the accounts. Null if the warehouse contains only one account. */
  accounts: string | null
  /** `All teams`, or the selected ones. */
  teams: string
  severities: string
  events?: readonly FrameEvent[]
  /** `service: checkout`, if the user selected values of a dimension. */
  dimensions?: string
  /** `21,204 excluded: test channels`, if the configuration excludes more than 1% of the incidents. */
  leftOut?: string
  coverage: string
}

/** The time to acknowledge or to resolve, computed by one definition. In seconds, or null without incidents. */
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
  /** The same durations by several common definitions, so that readers can compare them. */
  sensitivity?: readonly RuleFigure[]
}

/** A condition of the report or a check of data quality. After an `error`, the page is written and the exit status is 3. */
export interface Gate {
  /** Name in the report, or of a data quality check, such as `coverage`, `age` or `last sync`. */
  name: string
  origin: 'report' | 'data quality'
  state: 'ok' | 'warn' | 'error'
  /** A sentence. It can contain untrusted text. */
  message: string
}

export interface Coverage {
  /** 0 to 1. Null if the warehouse contains no syncs for the period. */
  share: number | null
  /** Data gaps in local time such as `2026-08-03T00:00:00`, oldest first. `to` is exclusive. */
  gaps: readonly { from: string; to: string }[]
  /** Local time of the latest sync of the period. Null if unknown. */
  readAt: string | null
}

/** The change of a figure since the previous period, with the result of a significance test. */
export interface Change {
  tone: Tone
  /** `up` or `down` only if the change is significant at 1%. */
  direction: 'up' | 'down' | 'none'
  /** Size of the change, such as `10%` or `5 points`. Empty if `direction` is `none`. */
  amount: string
  /** A fixed phrase such as `faster` or `possibly faster`, or the reason why nothing is compared. */
  verdict: string
  /** The verdict as a part of a sentence, such as `10% faster`. */
  words: string
  /** 95% CI of the change. Empty if nothing is compared. */
  note: string
  /** Whether the previous count is 0. A change in percent is then undefined. */
  isFromNone?: boolean
  /** Null if nothing is compared. */
  previous: readonly Part[] | null
  /** The change at a constant mix of severities, if it differs from the plain change. */
  mix?: string
  /** The smallest detectable change, with a note if weeks are autocorrelated. */
  reach?: string
}

export interface KpiCard {
  label: string
  value: readonly Part[]
  /** Null if the card does not count incidents. */
  n: number | null
  interval: readonly [readonly Part[], readonly Part[]] | null
  change: Change | null
  /** With `isNoise`, the result could be chance: the CI includes the target, or there are few incidents (`isFew`). */
  target: { text: string; met: boolean; isNoise?: boolean; isFew?: boolean } | null
  trend: readonly { at: string; value: number | null }[]
  link?: string | null
}

/** The expected range of a weekly figure. `judged` is false for too few weeks to call one of them unusual. */
export interface UsualRange {
  low: number
  centre: number
  high: number
  points: number
  judged: boolean
  /** `by means of 26 points`, or the reason why no week is called unusual. */
  note: string
}

/** The incident list of each row of a result: first its id, then its address on the page. */
export type Links = ReadonlyMap<readonly Value[], string>

/** The lead of a report: its findings, the most important one first. */
export interface FindingsBlock {
  kind: 'findings'
  /** Up to three findings. `section` is the anchor of the chart or table that shows the finding. */
  lines: readonly { text: readonly Inline[]; section: string | null }[]
  /** A sentence about other figures that got worse. May be empty. */
  also: readonly Inline[]
  /** Text before `rest`, such as `Overall: ` or `No significant change: `. */
  start: string
  rest: readonly Inline[]
  /** A sentence about incidents that need attention now. May be empty. */
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

/** An incident, or a page to a person, in a list. Its texts come from the service and are untrusted. */
export interface ListedIncident {
  title: Value
  severity: string
  team: Value
  /** State of the incident, such as `open, not acknowledged`. */
  state: Value
  /** Start of the incident, or time of the page. */
  startedAt: Value
  /** The paged person. Null for an incident. */
  person: Value
  localTime: Value
  /** Times in seconds. For an open incident, `lasted_s` is the time up to now. */
  seconds: Readonly<Record<Measure, Value>>
  url: Value
}

/** Columns of times by which a list can be sorted, with their labels. */
export const measures = {
  time_to_ack_s: 'Time to acknowledge',
  tta: 'Time to acknowledge',
  ttr: 'Time to resolve',
  ttr_all: 'Time to resolve',
  recover: 'Time to recover',
  lasted_s: 'Duration',
} as const
export type Measure = keyof typeof measures

/** The incidents behind one number. */
export interface IncidentList {
  /** File name, such as `week-2026-11-09`. The next run uses the same one. */
  id: string
  label: string
  /** The covered time in words. Some numbers cover more than the period. Null for a list of any time. */
  time: string | null
  of: 'incident' | 'page'
  /** The time by which the list is sorted, longest first. Null if the number counts incidents or pages. */
  measure: Measure | null
  count: number
  first: readonly ListedIncident[]
  /** Query string of `/explore` for the same incidents. Null if the explorer has no filters for them. */
  filter: string | null
}

/** The incident lists and incident files of a report. */
export interface Lists {
  lists: readonly IncidentList[]
  /** The content of `all_incidents.csv`, and of `all_pages.csv` if a number counts pages. */
  all: readonly Pick<QueryResult, 'name' | 'columns' | 'rows'>[]
  filter: string | null
  /** Whether the report has too many incidents for lists. */
  isCut: boolean
}

/** A reason such as `closed since`. `incidents` counts the affected ones (0 if unknown). `examples` has up to three. */
export interface RestatementReason {
  reason: string
  incidents: number
  examples: readonly string[]
}

/** The figures that changed since an earlier run for the same period, with the reasons. */
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

/** Facts of a run with which later runs compare their figures. Stored by `warehouse/read/report-runs.ts`. */
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
  /** A hash of the report’s queries, definitions and settings. */
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
