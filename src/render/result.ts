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

/** Numbers of open incidents, shown for a period without incidents. */
export interface StillOpen {
  all: number
  critical: number
  /** Open incidents that started after the period. `all` includes them. */
  since: number
  /** Open incidents that the page of a past period omits, because they started much later. */
  later: number
  /** Incidents that started after the period. Some of them may be closed. */
  came: number
  /** A sentence about a data gap in the period. */
  gap?: string
}

/** The subject of a mail, which uses the longest phrase that fits. */
export interface ReportSubject {
  name: string
  phrases: readonly string[]
}

/** A part of a page. */
export type Block =
  /** If `folded`, readers must click to see the section. */
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
  /** The findings as plain text, or the first paragraph of a report without findings. May be empty. */
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
  /** Null if no figure has changed since the last run for the same period and filters. */
  restated: Restatement | null
  /** The caller stores these facts after it has written the report. */
  run: RunFacts
  /** Only set for a handover: the end of its data, and the newest run of each account. */
  shiftEnd?: { readonly asOf: Date; readonly runs: readonly string[] }
  warnings: readonly string[]
}
