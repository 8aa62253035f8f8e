import type { z } from 'zod'
import type { Size } from './drawing/plot.ts'
import type { Child } from './html.ts'
import type { Links, UsualRange } from './result/block-parts.ts'
import type { Inline } from './result/inline-text.ts'
import type { QueryResult } from './result/query-result.ts'
import type { Frame } from './result/report-frame.ts'
import type { Format } from './spec.ts'
import type { Terminal } from './terminal/paint.ts'

/** What the spec of every chart says: its kind, and how what it measures is written. */
export interface AnySpec {
  type: string
  format: Format
}

/** A chart of a page: its spec, and the rows it draws. */
export interface ChartBlock<Spec extends AnySpec> {
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
  /** The usual range of a chart that asks for one; null for others, and where there are too few points. */
  usual?: UsualRange | null
  links?: Links | null
}

/**
 * A kind of chart: everything the program knows of it. A file of `charts/` holds one such object, and `charts/index.ts` a line;
 * what a report may write, the page, its data table, the terminal and screen readers follow from it.
 */
export interface Chart<Spec extends AnySpec> {
  /** What a report writes, checked; its `type` is the name of the kind. */
  readonly spec: z.ZodType<Spec> & { readonly shape: z.core.$ZodShape & { type: z.ZodLiteral<string> } }
  /** What it is to a screen reader: `Line chart`. */
  readonly label: string
  columns(spec: Spec): ChartColumns
  /** What x and y are, a sentence for those who have mixed them up. */
  readonly axes?: string
  /** How its data table is laid out, where a row of the result is no row of the table. */
  series?(spec: Spec): SeriesColumns | null
  /** The column whose values have a colour each, which a legend names. */
  colors?(spec: Spec): string | null
  /** The column that says how many incidents a mark stands for; none where it says no number of them. */
  counts?(spec: Spec): string | null
  /** Whether it joins weeks by a line, so that a week that two periods share is one point. */
  joinsWeeks?: boolean
  /** The values whose usual range it shows. */
  usual?(spec: Spec): UsualSeries
  /** The marks, from the top left of a drawing of `size`. Called with rows only. */
  draw(block: ChartBlock<Spec>, frame: Frame, size: Size): Child
  /** In pixels, where its rows decide. */
  height?(block: ChartBlock<Spec>, isNarrow: boolean): number | null
  /** Whether a compact page shows the drawing for a phone. */
  readonly isNarrowWhenCompact?: boolean
  /** What it shows, in words, without a full stop. Called with rows only. */
  describe(block: ChartBlock<Spec>, frame: Frame): string
  /** The same in characters. Called with rows only. */
  terminal(block: ChartBlock<Spec>, frame: Frame, terminal: Terminal): string[]
}

/** The columns that a chart reads; null where its spec names none. */
export interface ChartColumns {
  /** In the chart's `format`. */
  measured: readonly (string | null)[]
  /** Shares between 0 and 1, whatever the format is. */
  shares?: readonly (string | null)[]
  /** Dates of an axis of time. */
  dates?: readonly string[]
  /** Numbers that are no figures of its `format`: how many, or where on an axis. Shown by their type. */
  numbers?: readonly (string | null)[]
  /** Shown by their type. */
  others: readonly (string | null)[]
  /** Of all these the one that is only drawn, and no figure of the data. */
  drawn?: string | null
}

/** A long result as a wide table: a row for each `x`, a column for each value of `by`, of values `y`. */
interface SeriesColumns {
  x: string
  y: string
  by: string
  /** The head of the column of a value; the value itself where there is none. */
  label?: (value: string) => string
}

/** A column of values over time, whose usual range is shown. */
export interface UsualSeries {
  column: string
  x: string
  scale: 'linear' | 'log'
}
