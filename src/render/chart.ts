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
  /** Anchor that findings link to. */
  section?: string
  title: readonly Inline[]
  subtitle: readonly Inline[]
  width: 'full' | 'half'
  spec: Spec
  data: QueryResult
  /** Marker lines, such as the median in a histogram or the target across a trend. */
  rules: readonly { label: string; value: number }[]
  /** Expected range of the values. Null if the chart has none, or if there are too few points. */
  usual?: UsualRange | null
  links?: Links | null
}

/** A type of chart. HTML, terminal output and descriptions use it. `charts/index.ts` lists all types. */
export interface Chart<Spec extends AnySpec> {
  readonly spec: z.ZodType<Spec> & { readonly shape: z.core.$ZodShape & { type: z.ZodLiteral<string> } }
  readonly label: string
  columns(spec: Spec): ChartColumns
  /** Explains x and y in the error message for a column of the wrong type. */
  readonly axes?: string
  /** Layout of the data table if it has one column per series. */
  series?(spec: Spec): SeriesColumns | null
  /** The column that decides the color of a mark. */
  colors?(spec: Spec): string | null
  /** The column with the number of incidents behind a mark. */
  counts?(spec: Spec): string | null
  /** Whether one line runs through all weeks. The rows of a week that belongs to two periods are then merged. */
  joinsWeeks?: boolean
  usual?(spec: Spec): UsualSeries
  /** Draws the marks. Like `describe` and `terminal`, it is called only if there are rows. */
  draw(block: ChartBlock<Spec>, frame: Frame, size: Size): Child
  height?(block: ChartBlock<Spec>, isNarrow: boolean): number | null
  /** Whether compact pages show the version for phones. */
  readonly isNarrowWhenCompact?: boolean
  describe(block: ChartBlock<Spec>, frame: Frame): string
  terminal(block: ChartBlock<Spec>, frame: Frame, terminal: Terminal): string[]
}

/** The columns that a chart reads. An optional column that the spec omits is null. */
export interface ChartColumns {
  /** Columns in the chart’s `format`. */
  measured: readonly (string | null)[]
  shares?: readonly (string | null)[]
  dates?: readonly string[]
  /** Counts and axis positions, to which the chart’s `format` does not apply. */
  numbers?: readonly (string | null)[]
  others: readonly (string | null)[]
  /** A column that is drawn but omitted from the data table. */
  drawn?: string | null
}

/** Pivots a result. The table has one row per value of `x`, one column per value of `by`, and cells from `y`. */
interface SeriesColumns {
  x: string
  y: string
  by: string
  label?: (value: string) => string
}

/** The column for which an expected range is computed, and its axis. */
export interface UsualSeries {
  column: string
  x: string
  scale: 'linear' | 'log'
}
