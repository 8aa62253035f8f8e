import type { Format, TableColumn } from './spec.ts'

/** The value of a cell in a query result or in the warehouse. */
export type Value = null | boolean | number | bigint | string | Date | Value[] | { [key: string]: Value }

/** A column of a query result. `type` is its DuckDB type. */
export interface QueryColumn {
  name: string
  type: string
  unit?: 's'
}

export interface QueryResult {
  name: string
  sql: string
  columns: readonly QueryColumn[]
  rows: readonly (readonly Value[])[]
}

/** A part of a formatted value: a figure or its unit. */
export interface Part {
  text: string
  unit?: true
}

/** Whether a change is good or bad. Only `better` and `worse` have a color. */
export type Tone = 'better' | 'worse' | 'same'

/** A part of a sentence. Text from incidents must be in `value` or `text`, because renderers escape these. */
export type Inline =
  | { kind: 'text'; text: string }
  /** `list` is the id of the incident list to which the value links, and `href` is the address of that list. */
  | { kind: 'value'; parts: readonly Part[]; tone?: Tone; list?: string; href?: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'emphasis'; content: readonly Inline[] }
  | { kind: 'link'; href: string; content: readonly Inline[] }

export interface FrameEvent {
  name: string
  day: string
}

/** The period and scope of a report. Dates are local, such as `2026-08-03`. `to` is exclusive. */
export interface Frame {
  timezone: string
  from: string
  to: string
  /** Local time of the last read, at which the data ends. */
  asOf: string
  asOfInstant: Date
  /** Such as `3 Aug – 1 Nov 2026`, or `October 2026`. */
  label: string
  /** Set for periods of more than a year. Trends are then drawn by month instead of week. */
  bucket?: 'month' | undefined
  /** Such as `13 weeks`. */
  span: string
  /** Such as `4 May – 2 Aug 2026`, or `September 2026`. Null if the data does not cover the previous period. */
  previousLabel: string | null
  /** Names of the accounts. Null if the warehouse contains only one account. */
  accounts: string | null
  /** `All teams`, or the selected ones. */
  teams: string
  severities: string
  events?: readonly FrameEvent[]
  /** Whether the report is about open incidents, which are not compared with a previous period. */
  isAboutOpen?: boolean
  /** Such as `service: checkout`. Set if the user selected values of a dimension. */
  dimensions?: string
  /** Such as `21,204 excluded: test channels`. Set if the configuration excludes more than 1% of the incidents. */
  leftOut?: string
  coverage: string
  /** The coverage, if the data does not cover the whole period. Shown below titles. */
  incomplete?: string | undefined
}

/** A time to acknowledge or resolve in seconds, by one of several definitions. Null if there are no incidents. */
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
  /** The report’s durations by several common definitions, so that readers can compare them. */
  sensitivity?: readonly RuleFigure[]
}

/** A condition or a data quality check. After an `error`, the page is still written, but the exit status is 3. */
export interface Gate {
  /** Name of the condition in the report, or of the data quality check, such as `coverage`, `age` or `last sync`. */
  name: string
  origin: 'report' | 'data quality'
  state: 'ok' | 'warn' | 'error'
  /** A sentence that can contain untrusted text. */
  message: string
  /** Whether the lead mentions the same problem. */
  isInLead?: boolean
}

export interface Coverage {
  /** A share from 0 to 1. Null if the warehouse contains no syncs for the period. */
  share: number | null
  /** Data gaps, oldest first. Their ends are local times such as `2026-08-03T00:00:00`, and `to` is exclusive. */
  gaps: readonly { from: string; to: string }[]
}

/** The change of a figure since the previous period, with the result of a significance test. */
export interface Change {
  tone: Tone
  /** `none` unless the change is significant at 1%. */
  direction: 'up' | 'down' | 'none'
  /** Size of the change, such as `10%` or `5 points`. Empty if `direction` is `none`. */
  amount: string
  /** A fixed phrase such as `faster` or `possibly faster`, or the reason why nothing is compared. */
  verdict: string
  /** The verdict in the form used within a sentence, such as `10% faster`. */
  words: string
  /** 95% CI of the change. Empty if nothing is compared. */
  note: string
  /** Whether the previous count is 0, so that a change in percent is undefined. */
  isFromNone?: boolean
  /** The previous value. Null if nothing is compared. */
  previous: readonly Part[] | null
  /** The change with a constant mix of severities, if this differs from the actual change. */
  mix?: string
  /** The smallest change that would be detected, with a note if weeks are autocorrelated. */
  reach?: string
}

export interface KpiCard {
  label: string
  value: readonly Part[]
  /** Sample size. Null if the card does not count incidents. */
  n: number | null
  interval: readonly [readonly Part[], readonly Part[]] | null
  change: Change | null
  /** If `isNoise`, the result could be chance: the CI includes the target, or there are few incidents (`isFew`). */
  target: { text: string; met: boolean; isNoise?: boolean; isFew?: boolean } | null
  trend: readonly { at: string; value: number | null }[]
  link?: string | null
  /** Id of the list of incidents behind the previous value, for sentences. */
  listBefore?: string | null
}

/** The expected range of a weekly figure. If `judged` is false, there are too few weeks to call any of them unusual. */
export interface UsualRange {
  low: number
  centre: number
  high: number
  points: number
  judged: boolean
  /** Values from which the limits were computed, such as `weeks of the report`. */
  by: string
}

/** Maps rows of a result to incident lists. The value is first the id of the list, and later its address on the page. */
export type Links = ReadonlyMap<readonly Value[], string>

/** The lead of a report: its findings, starting with the most important one. */
export interface FindingsBlock {
  kind: 'findings'
  /** A judgment of the whole period, before the findings. Can be empty. */
  opening: readonly Inline[]
  /** Up to three findings. `section` is the anchor of the chart or table that shows the finding. */
  lines: readonly { text: readonly Inline[]; section: string | null }[]
  /** A sentence about other figures that got worse. Can be empty. */
  also: readonly Inline[]
  /** A text instead of findings, such as `No significant change: 205 incidents.` Can be empty. */
  rest: readonly Inline[]
  /** A sentence about incidents that need attention now, or else about missing data. Can be empty. */
  urgent: readonly Inline[]
  /** The same sentence, or empty if the findings already say it. */
  open: readonly Inline[]
  /** Recommended actions, without `Next: `. Can be empty. */
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

/** An incident, or a page that was sent to a person. The texts come from incidents and are untrusted. */
export interface ListedIncident {
  title: Value
  severity: string
  team: Value
  /** State of the incident, such as `open, not acknowledged`. */
  state: Value
  /** Start of the incident, or time of the page. */
  at: Value
  /** The paged person. Null for an incident. */
  person: Value
  localTime: Value
  /** Durations in seconds. For an open incident, `lasted_s` is the time from its start until now. */
  seconds: Readonly<Record<Measure, Value>>
  url: Value
}

/** Columns with durations by which a list can be sorted, and their labels. */
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
  /** File name, such as `week-2026-11-09`. The next run gives the same list the same name. */
  id: string
  label: string
  /** The covered time in words, because some numbers cover more than the period. Null if the list covers any time. */
  time: string | null
  of: 'incident' | 'page'
  /** The duration by which the list is sorted, longest first. Null if the number only counts incidents or pages. */
  measure: Measure | null
  count: number
  /** For a share: the incidents that are late, or that the share counts. They are first. Null for other numbers. */
  marked: { as: 'late' | 'counted'; count: number } | null
  first: readonly ListedIncident[]
  /** Query string that shows the same incidents in `/explore`. Null if its filters cannot select them. */
  filter: string | null
}

/** The incident lists of a report, and the incidents for its CSV files. */
export interface Lists {
  lists: readonly IncidentList[]
  /** The content of `all_incidents.csv`. If a number counts pages, also that of `all_pages.csv`. */
  all: readonly Pick<QueryResult, 'name' | 'columns' | 'rows'>[]
  filter: string | null
  /** Whether lists are omitted because the report has too many incidents. */
  isCut: boolean
}

/** Why figures changed, such as `closed since`. `incidents` is 0 if the number of affected incidents is unknown. */
export interface RestatementReason {
  reason: string
  incidents: number
  examples: readonly string[]
}

/** The figures that changed since an earlier run for the same period, and the reasons. */
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
}

/** Facts about a run that `warehouse/read/report-runs.ts` keeps, so that later runs can compare their figures. */
export interface RunFacts {
  report: string
  /** Local dates. `period_to` is exclusive. */
  period_from: string
  period_to: string
  timezone: string
  account: string
  team: string
  severity: string
  as_of_at: string
  /** A hash of the report’s queries, definitions and settings. */
  definition: string
  /** One entry per card. `figure` is `query.column`, and `value` is in seconds, a share or a number. */
  figures: readonly {
    figure: string
    label: string
    format: Format
    value: number | null
    n: number | null
  }[]
}
