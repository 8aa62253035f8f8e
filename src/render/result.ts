import type { ChartSpec, Format, TableColumn } from './spec.ts'

/** One value of a query's result; the same shapes as the warehouse's cells. */
export type Value = null | boolean | number | bigint | string | Date | Value[] | { [key: string]: Value }

/** A column of a query's result; `type` is DuckDB's name, `unit` that of its numbers where the report says one. */
export interface QueryColumn {
  name: string
  type: string
  unit?: 's'
}

/** The result of one named query, including columns that only carry a sample (`ttr_sample`). */
export interface QueryResult {
  name: string
  sql: string
  columns: readonly QueryColumn[]
  rows: readonly (readonly Value[])[]
}

/** One row for each figure that is compared; see `report/resolve/verdicts.ts`. */
export type Verdicts = Pick<QueryResult, 'columns' | 'rows'>

/** A piece of a formatted value: a figure or its unit. */
export interface Part {
  text: string
  unit?: true
}

/** What a change means; only `better` and `worse` have a colour. */
export type Tone = 'better' | 'worse' | 'same'

/** Running text. Data enters as `value` and `text` only, never as markup. */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'value'; parts: readonly Part[]; tone?: Tone }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'emphasis'; content: readonly Inline[] }
  | { kind: 'link'; href: string; content: readonly Inline[] }

/** The change of a figure against the previous period, and whether it is more than noise. */
export interface Change {
  tone: Tone
  /** `up` and `down` only when 99 % speak for it. */
  direction: 'up' | 'down' | 'none'
  /** `10 %`, `5 pp`; empty without a direction. */
  amount: string
  /** One word everywhere: `faster`, `possibly faster`, `about the same`, `no clear change`, or why nothing is compared. */
  verdict: string
  /** The same for a sentence: `10 % faster`, `not clearly faster or slower`. */
  words: string
  /** The 95 % interval of the change; empty when nothing is compared. */
  note: string
  /** Null when nothing is compared. */
  previous: readonly Part[] | null
}

export interface KpiCard {
  label: string
  value: readonly Part[]
  /** Incidents behind the value, where the card counts them. */
  n: number | null
  /** Lower and upper end of the 95 % interval. */
  interval: readonly [readonly Part[], readonly Part[]] | null
  change: Change | null
  /** `isNoise`: meeting or missing it could be chance, as the interval includes the target, or there are too few (`isFew`). */
  target: { text: string; met: boolean; isNoise?: boolean; isFew?: boolean } | null
  trend: readonly { at: string; value: number | null }[]
}

/** The usual range of single values, and whether there are enough of them to call one unusual. */
export interface UsualRange {
  low: number
  centre: number
  high: number
  /** Points it was computed from. */
  points: number
  judged: boolean
  /** `by means of 26 points`, or why no value is called unusual. */
  note: string
}

/** Which list of incidents each value of a column leads to; ids of `Behind.lists`. */
export interface Links {
  column: string
  ids: ReadonlyMap<string, string>
}

/** What a report found, most important first: its lead. */
export interface FindingsBlock {
  kind: 'findings'
  /** Up to three sentences, each with the `section` that proves it, null where none does. */
  lines: readonly { text: readonly Inline[]; section: string | null }[]
  /** What else is red on the page; may be empty. */
  also: readonly Inline[]
  /** How `rest` begins: `In all: `, or that nothing stands out. */
  start: string
  rest: readonly Inline[]
  /** What a team can do, without `Next: `; may be empty. */
  next: readonly Inline[]
}

export interface ChartBlock<Spec extends ChartSpec = ChartSpec> {
  kind: 'chart'
  /** What findings that it proves link to. */
  section?: string
  title: readonly Inline[]
  subtitle: readonly Inline[]
  width: 'full' | 'half'
  spec: Spec
  data: QueryResult
  /** Vertical or horizontal marker lines, e.g. the median in a histogram or a target across a trend. */
  rules: readonly { label: string; value: number }[]
  /** The usual range of a control chart; null for other charts, and where there are too few points. */
  usual?: UsualRange | null
  links?: Links | null
}

export interface TableBlock {
  kind: 'table'
  section?: string
  title: readonly Inline[]
  subtitle: readonly Inline[]
  columns: readonly TableColumn[]
  data: QueryResult
  /** Text in place of an empty table. */
  empty: string
  /** Most rows to show; the CSV file has all. */
  limit: number
  links?: Links | null
}

export type Block =
  | { kind: 'heading'; level: number; content: readonly Inline[] }
  | { kind: 'paragraph'; content: readonly Inline[] }
  | { kind: 'list'; ordered: boolean; items: readonly (readonly Inline[])[] }
  | { kind: 'kpis'; cards: readonly KpiCard[] }
  | FindingsBlock
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
  /** How much of the period the data covers, in words. */
  coverage: string
}

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
export interface Counted {
  rules: readonly { term: string; text: string }[]
  funnel: readonly { label: string; count: number }[]
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

/** An incident in a list. Its texts are the service's, so untrusted like any value. */
export interface ListedIncident {
  title: Value
  severity: string
  startedAt: Value
  /** Seconds, so far where it is open. */
  lasted: Value
  isOpen: boolean
  /** Names of its responders. */
  holders: Value
  url: Value
  /** Indexes of the lists it belongs to. */
  lists: readonly number[]
}

/** The incidents behind the figures of a report. */
export interface Behind {
  lists: readonly {
    /** `week-2026-11-09`: also its place in the page. */
    id: string
    label: string
    count: number
    /** Indexes of the first of its incidents: the worst, then the longest. */
    first: readonly number[]
  }[]
  incidents: readonly ListedIncident[]
  /** What becomes `all_incidents.csv`. */
  all: Pick<QueryResult, 'columns' | 'rows'>
  /** There are more than that file has. */
  isCut: boolean
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

/** What is open although the period has no incidents. */
export interface StillOpen {
  /** How many are open now. */
  all: number
  critical: number
  /** Of these, begun after the period. */
  since: number
  /** Open now and begun after all that the report speaks of, as of a past period: no matter of its page. */
  later: number
  /** How many came after the period, open or not. */
  came: number
}

/** A report after its run: all that HTML, CSV, JSON, the terminal and delivery need. Its JSON is a public interface. */
export interface ReportResult {
  name: string
  title: string
  /** The findings, or else the first paragraph before any heading, as plain text with figures filled in; may be empty. */
  verdict: string
  /** Every card of the report, in order. */
  kpis: readonly KpiCard[]
  /** Path of the report file for people, e.g. `reports/mtta-mttr.md`. */
  source: string
  frame: Frame
  /** No incident started in the period. */
  empty: boolean
  /** Null where something was counted. */
  stillOpen: StillOpen | null
  blocks: readonly Block[]
  queries: readonly QueryResult[]
  /** What the report says of the change of each figure; it becomes `verdicts.csv`. */
  verdicts: Verdicts
  /** Null where nothing of the report leads to its incidents. */
  behind?: Behind | null
  /** Every finding with its figures and its sentence; it becomes `findings.csv`. Null of a report that asks for none. */
  findings: Pick<QueryResult, 'columns' | 'rows'> | null
  counted: Counted
  coverage: Coverage
  /** Every condition that was checked, the report's own first. */
  gates: readonly Gate[]
  /** Null without an earlier run on the same period and scope, or when its figures have not changed. */
  restated: Restatement | null
  /** To be kept by the caller once the report is written. */
  run: RunFacts
  warnings: readonly string[]
}
