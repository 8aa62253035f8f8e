import type { ChartSpec, Format } from './chart-spec.ts'

/** One value of a query's result; the same shapes as the warehouse's cells. */
export type Value = null | boolean | number | bigint | string | Date | Value[] | { [key: string]: Value }

/** A column of a query's result; `type` is DuckDB's name. */
export interface Column {
  name: string
  type: string
}

/** The result of one named query. Columns that only carry a sample (`ttr_sample`) are part of it. */
export interface QueryResult {
  name: string
  sql: string
  columns: readonly Column[]
  rows: readonly (readonly Value[])[]
}

/** A piece of a formatted value: a figure, or the small unit behind it. */
export interface Part {
  text: string
  unit?: true
}

/** What a change means for the reader: colour is used for `better` and `worse` only. */
export type Tone = 'better' | 'worse' | 'same'

/** Running text. Data only ever enters as `value` and `text`, never as markup. */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'value'; parts: readonly Part[]; tone?: Tone }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'emphasis'; content: readonly Inline[] }
  | { kind: 'link'; href: string; content: readonly Inline[] }

/** How a figure moved against the previous period, and whether that is more than noise. */
export interface Change {
  tone: Tone
  /** `up` and `down` only when the move is more than noise. */
  direction: 'up' | 'down' | 'none'
  /** `10 %`, `5 pp`; empty when there is nothing to compare with. */
  amount: string
  /** The same in words for a sentence: `10 % faster`, `not detectably faster or slower`. */
  words: string
  /** Why there is no verdict, or the smallest change that would have shown; a short sentence or nothing. */
  note: string
  previous: readonly Part[] | null
}

export interface KpiCard {
  label: string
  value: readonly Part[]
  /** Observations behind the value, when the card names them. */
  n: number | null
  /** Lower and upper end of the 95 % interval. */
  interval: readonly [readonly Part[], readonly Part[]] | null
  change: Change | null
  /** `isNoise`: the interval holds the target, so that nobody knows on which side the figure really is. */
  target: { text: string; met: boolean; isNoise?: boolean } | null
  trend: readonly { at: string; value: number | null }[]
}

export interface TableColumn {
  column: string
  label: string
  format: Format
  /** Draws a small bar beside the figure. */
  bar: boolean
  /** Shows the value as a coloured mark and its text, for severities. */
  badge: boolean
  /** Column whose value is the address this cell links to. */
  link: string | null
  /** Lets long text break over lines. */
  wrap: boolean
  /** 1 always stays; 2 leaves on a phone. */
  priority: 1 | 2
}

/** The range single values usually stay in, and whether there are enough of them to call one unusual. */
export interface UsualRange {
  low: number
  centre: number
  high: number
  /** Points it was computed from. */
  points: number
  judged: boolean
  /** `by means of 26 points`, or why nothing is judged: `8 points; drawn from 6, judged from 12`. */
  note: string
}

export interface ChartBlock {
  kind: 'chart'
  title: readonly Inline[]
  subtitle: readonly Inline[]
  width: 'full' | 'half'
  spec: ChartSpec
  data: QueryResult
  /** Vertical or horizontal marker lines, e.g. the median in a histogram or a target across a trend. */
  rules: readonly { label: string; value: number }[]
  /** The usual range of a control chart; null for other charts, and where there are too few points. */
  usual?: UsualRange | null
}

export interface TableBlock {
  kind: 'table'
  title: readonly Inline[]
  subtitle: readonly Inline[]
  columns: readonly TableColumn[]
  data: QueryResult
  /** What to say instead of an empty table. */
  empty: string
  /** Rows beyond this many are left to the CSV file. */
  limit: number
}

export type Block =
  | { kind: 'heading'; level: number; content: readonly Inline[] }
  | { kind: 'paragraph'; content: readonly Inline[] }
  | { kind: 'list'; ordered: boolean; items: readonly (readonly Inline[])[] }
  | { kind: 'kpis'; cards: readonly KpiCard[] }
  | ChartBlock
  | TableBlock

/** The period of a report in local time; dates are `2026-08-03`, the end is exclusive. */
export interface Frame {
  timezone: string
  from: string
  to: string
  /** Local time at which the data was read. */
  asOf: string
  asOfInstant: Date
  /** `3 Aug – 1 Nov 2026`. */
  label: string
  /** `13 weeks`. */
  span: string
  /** `4 May – 2 Aug 2026`, or null when the data does not reach that far back. */
  previousLabel: string | null
  /** Names of the accounts, where the warehouse holds several. */
  accounts: string | null
  /** `All teams`, or the chosen ones. */
  teams: string
  severities: string
  /** What of the period the data covers, in words. */
  coverage: string
}

/** A headline time under one rule, over the incidents of the period. Seconds; null without any. */
export interface RuleFigure {
  /** `time to ack` or `time to resolve`. */
  measure: string
  rule: string
  /** The rule that the report follows. */
  isChosen: boolean
  n: number
  median: number | null
  mean: number | null
}

/** How the counted incidents came about: what was left out, and how many. */
export interface Counted {
  rules: readonly { term: string; text: string }[]
  funnel: readonly { label: string; count: number }[]
  /** The headline times under every rule in use; nothing where nothing was counted. */
  sensitivity?: readonly RuleFigure[]
}

/**
 * A condition on a figure, of the report (`fail_if`, `warn_if`) or of the data's quality. What is not `ok` is shown above
 * the figures; `error` makes the command end with exit status 3, and the page is written all the same.
 */
export interface Gate {
  /** As the author named it, or the check of data quality: `coverage`, `age`, `quarantined`, `last sync` … */
  name: string
  origin: 'report' | 'data quality'
  state: 'ok' | 'warn' | 'error'
  /** One sentence for the reader, plain text; it may hold data, so it is hostile like any value. */
  message: string
}

/** How much of the period was read from the service. */
export interface Coverage {
  /** 0 to 1; null when the warehouse does not say what was read. */
  share: number | null
  /** Stretches of the period that were not read, in local time, `2026-08-03T00:00:00`, the end exclusive; oldest first. */
  gaps: readonly { from: string; to: string }[]
  /** Local time at which a part of the period was last read; null when nobody knows. */
  readAt: string | null
}

/** A figure that an earlier run gave differently for the same period and scope. */
export interface RestatedFigure {
  label: string
  before: readonly Part[]
  now: readonly Part[]
  nBefore: number | null
  nNow: number | null
}

/** What the run before said for the same period, and why it says something else now. */
export interface Restatement {
  /** Local time at which that run's data had been read. */
  asOf: string
  /** Only figures that changed, in the order of the report. */
  figures: readonly RestatedFigure[]
  /** How many stayed as they were. */
  unchanged: number
  /** `closed late`, `severity edited` …, how many incidents, and up to three of their numbers; most first. */
  reasons: readonly { reason: string; incidents: number; examples: readonly string[] }[]
}

/** What the ledger of runs keeps, so that a later run can say what changed; see `warehouse/report-runs.ts`. */
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
  /** The newest sync the data is from. */
  sync_run_id: number | null
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

/**
 * A report that has been run: all that the writers of HTML, CSV, JSON and the terminal need, and what delivery quotes:
 * `title`, `verdict`, `kpis` with n and interval, `gates` and `warnings`. These names and shapes stay.
 */
export interface ReportResult {
  name: string
  title: string
  /** The first paragraph as plain text, figures filled in; empty when the report has none before its first heading. */
  verdict: string
  /** Every card of the report, in order. */
  kpis: readonly KpiCard[]
  /** Path of the report file as it is shown, e.g. `reports/mtta-mttr.md`. */
  source: string
  frame: Frame
  /** No incident started in the period. */
  empty: boolean
  blocks: readonly Block[]
  queries: readonly QueryResult[]
  counted: Counted
  coverage: Coverage
  /** Every condition that was looked at, the report's first. */
  gates: readonly Gate[]
  /** Null when no earlier run spoke of the same period and scope, or all of its figures hold. */
  restated: Restatement | null
  /** For the ledger; the caller keeps it once the report is written. */
  run: RunFacts
  warnings: readonly string[]
}
