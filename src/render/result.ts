import type { ChartBlock as ChartOf } from './chart.ts'
import type { ChartSpec } from './charts/index.ts'
import type { FindingsBlock, KpiCard, TableBlock } from './result/block-parts.ts'
import type { Lists } from './result/incident-lists.ts'
import type { Inline } from './result/inline-text.ts'
import type { Coverage, Gate, Methodology } from './result/methodology-types.ts'
import type { QueryResult } from './result/query-result.ts'
import type { Frame } from './result/report-frame.ts'
import type { Restatement, RunFacts } from './result/restatement-types.ts'

export type * from './result/block-parts.ts'
export type * from './result/incident-lists.ts'
export type * from './result/inline-text.ts'
export type * from './result/methodology-types.ts'
export type * from './result/query-result.ts'
export type * from './result/report-frame.ts'
export type * from './result/restatement-types.ts'

/** A chart of any kind. */
export type ChartBlock = ChartOf<ChartSpec>

/** One row for each figure that is compared; see `report/resolve/verdicts.ts`. */
export type Verdicts = Pick<QueryResult, 'columns' | 'rows'>

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
  /** The sentence of a data gap that reaches into the period, plain text; absent without one. */
  gap?: string
}

/** A part of a page, from its top to its end. */
export type Block =
  /** `folded`: its section opens on demand, and in print. */
  | { kind: 'heading'; level: number; content: readonly Inline[]; folded?: boolean }
  | { kind: 'paragraph'; content: readonly Inline[] }
  | { kind: 'list'; ordered: boolean; items: readonly (readonly Inline[])[] }
  | { kind: 'kpis'; cards: readonly KpiCard[] }
  | FindingsBlock
  | ChartBlock
  | TableBlock

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
  lists?: Lists | null
  /** Every finding with its figures and its sentence; it becomes `findings.csv`. Null of a report that asks for none. */
  findings: Pick<QueryResult, 'columns' | 'rows'> | null
  counted: Methodology
  coverage: Coverage
  /** Every condition that was checked, the report's own first. */
  gates: readonly Gate[]
  /** Null without an earlier run on the same period and scope, or when its figures have not changed. */
  restated: Restatement | null
  /** To be kept by the caller once the report is written. */
  run: RunFacts
  /** Of a handover: where its data ended, and the newest run of each account. */
  shiftEnd?: { readonly asOf: Date; readonly runs: readonly string[] }
  warnings: readonly string[]
}
