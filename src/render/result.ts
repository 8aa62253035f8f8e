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

/** The verdicts on all compared figures, one per row. See `page/verdicts-table.ts`. */
export type Verdicts = Pick<QueryResult, 'columns' | 'rows'>

/** Numbers of open incidents, shown if the period has no incidents. */
export interface StillOpen {
  all: number
  critical: number
  /** Open incidents that started after the period. They are also included in `all`. */
  since: number
  /** Open incidents that started much later than the period. The page of a past period omits them. */
  later: number
  /** Incidents that started after the period. Some of them may be closed. */
  came: number
  /** A sentence about a data gap in the period. */
  gap?: string
}

/** The subject of a mail. The longest of the `phrases` that fits is used. */
export interface ReportSubject {
  name: string
  phrases: readonly string[]
}

export type Block =
  /** If `folded`, the section is hidden until readers click its heading. */
  | { kind: 'heading'; level: number; content: readonly Inline[]; folded?: boolean }
  | { kind: 'paragraph'; content: readonly Inline[] }
  | { kind: 'list'; ordered: boolean; items: readonly (readonly Inline[])[] }
  | { kind: 'kpis'; cards: readonly KpiCard[] }
  | FindingsBlock
  | ChartBlock
  | TableBlock

/** The result of a report run, from which all output formats and messages are made. Its JSON is a public interface. */
export interface ReportResult {
  name: string
  title: string
  subject: ReportSubject
  /** The findings as plain text, or the first paragraph of a report without findings. May be empty. */
  verdict: string
  kpis: readonly KpiCard[]
  /** Path of the report file as shown to users, such as `reports/mtta-mttr.md`. */
  source: string
  frame: Frame
  /** True if no incident started in the period. */
  empty: boolean
  /** Null if the period has incidents. */
  stillOpen: StillOpen | null
  blocks: readonly Block[]
  queries: readonly QueryResult[]
  verdicts: Verdicts
  /** Null if no number of the report links to incidents. */
  lists?: Lists | null
  /** All findings, as written to `findings.csv`. Null if the report has no findings block. */
  findings: Pick<QueryResult, 'columns' | 'rows'> | null
  counted: Methodology
  coverage: Coverage
  gates: readonly Gate[]
  /** Null if no figure has changed since the last run for the same period and filters. */
  restated: Restatement | null
  /** Facts about this run. The caller stores them after it has written the report. */
  run: RunFacts
  /** Only set for a handover: where its data ends, and the newest sync run of each account at that time. */
  shiftEnd?: { readonly asOf: Date; readonly runs: readonly string[] }
  warnings: readonly string[]
}
