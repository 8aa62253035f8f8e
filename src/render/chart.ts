import type { z } from 'zod'
import type { Size } from './drawing/plot.ts'
import type { Child } from './html.ts'
import type { Frame, Inline, Links, QueryResult, UsualRange } from './result-parts.ts'
import type { Format } from './spec.ts'
import type { Terminal } from './terminal/paint.ts'

export interface AnySpec {
  type: string
  format: Format
}

export interface ChartBlock<Spec extends AnySpec> {
  kind: 'chart'
  /** HTML anchor to which findings about this chart link. */
  section?: string
  title: readonly Inline[]
  subtitle: readonly Inline[]
  width: 'full' | 'half'
  spec: Spec
  data: QueryResult
  /** Marker lines, such as the median in a histogram or the target across a trend. */
  rules: readonly { label: string; value: number }[]
  /** Expected range of the values. Null if this type of chart has no range, or if there are too few points. */
  usual?: UsualRange | null
  links?: Links | null
}

/** A type of chart, and its functions for HTML and the terminal. `charts/index.ts` lists all types. */
export interface Chart<Spec extends AnySpec> {
  readonly spec: z.ZodType<Spec> & { readonly shape: z.core.$ZodShape & { type: z.ZodLiteral<string> } }
  readonly label: string
  columns(spec: Spec): ChartColumns
  /** Meaning of x and y, for the error message about a column of the wrong type. */
  readonly axes?: string
  /** How to pivot the rows for a data table with one column per series. Null without series. */
  series?(spec: Spec): SeriesColumns | null
  colors?(spec: Spec): string | null
  /** Column with the number of incidents behind a mark. */
  counts?(spec: Spec): string | null
  usual?(spec: Spec): UsualSeries
  /** Like `describe` and `terminal`, this is called only if there are rows. */
  draw(block: ChartBlock<Spec>, frame: Frame, size: Size): Child
  height?(block: ChartBlock<Spec>, isNarrow: boolean): number | null
  /** Whether compact pages show the drawing for phones instead of the wide one. */
  readonly isNarrowWhenCompact?: boolean
  describe(block: ChartBlock<Spec>, frame: Frame): string
  terminal(block: ChartBlock<Spec>, frame: Frame, terminal: Terminal): string[]
}

/** The columns that a chart reads. Optional columns that the spec omits are null. */
export interface ChartColumns {
  /** Columns whose values use the chart’s `format`. */
  measured: readonly (string | null)[]
  shares?: readonly (string | null)[]
  dates?: readonly string[]
  /** Columns with counts or axis positions, whose values do not use the chart’s `format`. */
  numbers?: readonly (string | null)[]
  others: readonly (string | null)[]
  /** A column that is drawn, but omitted from the data table. */
  drawn?: string | null
}

/** Pivots to one row per value of `x` and one column per value of `by`, with values of `y` in the cells. */
interface SeriesColumns {
  x: string
  y: string
  by: string
  label?: (value: string) => string
}

/** The column for which an expected range is computed, and the column `x` of the time axis. */
export interface UsualSeries {
  column: string
  x: string
  scale: 'linear' | 'log'
}
