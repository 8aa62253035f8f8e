import type { ChartBlock as ChartOf } from './chart.ts'
import type { ChartSpec } from './charts/index.ts'
import type {
  Coverage,
  FindingsBlock,
  Frame,
  Gate,
  Inline,
  KpiCard,
  Lists,
  Methodology,
  QueryResult,
  Restatement,
  RunFacts,
  TableBlock,
} from './result-parts.ts'

export type * from './result-parts.ts'

export type ChartBlock = ChartOf<ChartSpec>

/** One row per compared figure. See `page/verdicts-table.ts`. */
export type Verdicts = Pick<QueryResult, 'columns' | 'rows'>

/** Open incidents, shown for a period without incidents. */
export interface StillOpen {
  all: number
  critical: number
  /** Number of incidents in `all` that started after the period. */
  since: number
  /** Number of incidents that are open now, but started too late for the page of a past period. */
  later: number
  /** Number of incidents that started after the period, open or not. */
  came: number
  /** A sentence about a data gap in the period. */
  gap?: string
}

/** The subject of a mail. The longest phrase that fits is used. */
export interface ReportSubject {
  /** A short name of the report. */
  name: string
  phrases: readonly string[]
}

/** A part of a page. */
export type Block =
  /** If `folded`, the section opens on demand, and in print. */
  | { kind: 'heading'; level: number; content: readonly Inline[]; folded?: boolean }
  | { kind: 'paragraph'; content: readonly Inline[] }
  | { kind: 'list'; ordered: boolean; items: readonly (readonly Inline[])[] }
  | { kind: 'kpis'; cards: readonly KpiCard[] }
  | FindingsBlock
  | ChartBlock
  | TableBlock

/** Result of a report run, for all output formats and delivery. Its JSON is a public interface. */
export interface ReportResult {
  name: string
  title: string
  subject: ReportSubject
  /** Findings or first paragraph as plain text with figures filled in. May be empty. */
  verdict: string
  kpis: readonly KpiCard[]
  /** Path of the report file for display, such as `reports/mtta-mttr.md`. */
  source: string
  frame: Frame
  /** Whether no incident started in the period. */
  empty: boolean
  /** Null if the period has incidents. */
  stillOpen: StillOpen | null
  blocks: readonly Block[]
  queries: readonly QueryResult[]
  verdicts: Verdicts
  /** Null if the report links to no incidents. */
  lists?: Lists | null
  /** Every finding with figures and sentence, written to `findings.csv`. Null if the report has no findings block. */
  findings: Pick<QueryResult, 'columns' | 'rows'> | null
  counted: Methodology
  coverage: Coverage
  gates: readonly Gate[]
  /** Null if there is no earlier run for the same period and scope, or if no figure has changed. */
  restated: Restatement | null
  /** The caller stores these facts after the report is written. */
  run: RunFacts
  /** Only set for a handover: the end of its data, and the newest run of each account. */
  shiftEnd?: { readonly asOf: Date; readonly runs: readonly string[] }
  warnings: readonly string[]
}
