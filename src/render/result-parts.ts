import type { Format, TableColumn } from './spec.ts'

/** A cell of a query result, with the same types as cells of the warehouse. */
export type Value = null | boolean | number | bigint | string | Date | Value[] | { [key: string]: Value }

/** A column of a query result. `type` is DuckDB’s name, and `unit` is set if the report declares one. */
export interface QueryColumn {
  name: string
  type: string
  unit?: 's'
}

/** The result of a named query, without helper columns. */
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

/** Running text. Data must appear only in `value` and `text`, never as markup. */
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
   * `isDefault` means that the target is built in.
   */
  target: { text: string; met: boolean; isNoise?: boolean; isFew?: boolean; isDefault?: boolean } | null
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

/** An incident or a page in a list. Its texts come from the service and are untrusted. */
export interface ListedIncident {
  title: Value
  severity: string
  team: Value
  /** State of the incident, such as `open, not acknowledged`. */
  state: Value
  /** Start of the incident, or time of the page. */
  startedAt: Value
  /** If it is a page, the paged person and their local time. */
  person: Value
  localTime: Value
  /** Seconds by measure. For an open incident, `lasted_s` is the time up to now. */
  seconds: Readonly<Record<Measure, Value>>
  url: Value
}

/** The times that can be the subject of a list. */
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
  /** File name, stable across runs, such as `week-2026-11-09`. */
  id: string
  label: string
  /** The time range in words, because some numbers cover more than the period. Null if the list has no time limits. */
  time: string | null
  of: 'incident' | 'page'
  /**
   * The time that is the subject of the number. The list is sorted by it, longest first. Null if the number counts
   * incidents or pages.
   */
  measure: Measure | null
  count: number
  first: readonly ListedIncident[]
  /** Query string of `/explore` for the same incidents. Null if the explorer cannot filter by them. */
  filter: string | null
}

export interface Lists {
  lists: readonly IncidentList[]
  /** Contents of `all_incidents.csv`, and of `all_pages.csv` if a number counts pages. */
  all: readonly Pick<QueryResult, 'name' | 'columns' | 'rows'>[]
  filter: string | null
  /** Whether there are more incidents than the limit for files. The report then has no lists. */
  isCut: boolean
}

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
