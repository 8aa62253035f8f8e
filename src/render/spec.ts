import { z } from 'zod'

/** The name of a query or of a column. */
export const name = z.string().regex(/^[a-z]\w*$/i, 'expected the name of a query or a column')
const optional = name.nullable().default(null)
const pair = z.tuple([name, name]).nullable().default(null)

/** How values are shown. A duration is in seconds, a percent is a share between 0 and 1. */
export const format = z.enum(['duration', 'number', 'percent', 'date', 'time', 'text'])
export type Format = z.output<typeof format>

const scale = z.enum(['linear', 'log']).default('linear')
const small = z.number().int().positive().default(10)

/** A column of a table; its name and its type give the label and the format that are left out. */
export const columnSpec = z.strictObject({
  column: name,
  label: z.string().optional(),
  format: format.optional(),
  /** Draws a small bar beside the figure. */
  bar: z.boolean().default(false),
  /** Draws a list of numbers as a small line. */
  spark: z.boolean().default(false),
  /** Shows the value as a coloured mark and its text, for severities. */
  badge: z.boolean().default(false),
  /** Column whose value is the address this cell links to. */
  link: optional,
  /** Lets long text break over lines. */
  wrap: z.boolean().default(false),
  /** Columns of the ends of the figure's 95 % interval, written below it. */
  interval: pair,
  /** Column with how many incidents the figure rests on; where they are few, it is marked. */
  n: optional,
  /** Column with how many are still open and not in it, or, of one incident, whether it is: written below it. */
  open: optional,
  /** Columns of priority 2 are hidden on a phone. */
  priority: z.union([z.literal(1), z.literal(2)]).default(1),
})
export type TableColumn = z.output<typeof columnSpec> & { label: string; format: Format }

/** Lines over time, with labels at their ends and an optional band behind the first one. */
export const lineSpec = z.strictObject({
  type: z.literal('line'),
  x: name,
  y: z
    .union([name, z.array(name).min(1).max(4)])
    .transform((y): readonly string[] => (typeof y === 'string' ? [y] : y)),
  /** Names of the lines, where the columns' names are not what a reader should see. */
  labels: z.array(z.string()).nullable().default(null),
  band: pair,
  /** Column with the number of observations; points with fewer than `small` are drawn hollow. */
  n: optional,
  small,
  /** Column with how many are still open and have no value yet; written under the points. */
  open: optional,
  scale,
  format: format.default('number'),
})

/** Upright columns per bucket, stacked or side by side when there is a `color`. */
export const columnsSpec = z.strictObject({
  type: z.literal('columns'),
  x: name,
  y: name,
  color: optional,
  /** One small chart for each value of this column, on the same scale. */
  facet: optional,
  stack: z.boolean().default(true),
  format: format.default('number'),
})

/** Horizontal bars, one for each category. */
export const barsSpec = z.strictObject({
  type: z.literal('bars'),
  x: name,
  y: name,
  color: optional,
  format: format.default('number'),
})

/** p10 to p90 as a line, the middle half as a bar, the median as a gap; one row for each category. */
export const percentilesSpec = z.strictObject({
  type: z.literal('percentiles'),
  x: z.tuple([name, name, name, name, name], 'expected five columns: p10, p25, median, p75, p90'),
  y: name,
  n: optional,
  small,
  /** Columns of the ends of the median's 95 % interval, drawn as a bracket. */
  interval: pair,
  /** Column of a target, drawn as a mark across the row. */
  target: optional,
  /** Column with how many are still open, written after n. */
  open: optional,
  scale,
  format: format.default('duration'),
})

/** Counts between bounds. */
export const histogramSpec = z.strictObject({
  type: z.literal('histogram'),
  x: z.tuple([name, name], 'expected two columns: the lower and the upper bound'),
  y: name,
  scale,
  format: format.default('duration'),
})

/** Counts by hour (x, 0 to 23) and weekday (y, 1 is Monday). */
export const heatmapSpec = z.strictObject({
  type: z.literal('heatmap'),
  x: name,
  y: name,
  color: name,
  /** Column that is true for outlined cells, such as working hours. */
  outline: optional,
  format: format.default('number'),
})

/** A falling step curve: the share `y` still open after the time `x`. */
export const survivalSpec = z.strictObject({
  type: z.literal('survival'),
  x: name,
  y: name,
  /** Columns of the ends of the share's 95 % interval. */
  band: pair,
  /** Column with how many were censored (still open when last seen) at that time; marked on the curve. */
  censored: optional,
  scale,
  format: format.default('duration'),
})

/** Single values over time with their usual range (XmR); values outside of it are marked. */
export const controlSpec = z.strictObject({
  type: z.literal('control'),
  x: name,
  y: name,
  /** Column of a trend's line, null where there is none; drawn thin. */
  trend: optional,
  n: optional,
  small,
  scale,
  format: format.default('number'),
})

export type LineSpec = z.output<typeof lineSpec>
export type ColumnsSpec = z.output<typeof columnsSpec>
export type BarsSpec = z.output<typeof barsSpec>
export type PercentilesSpec = z.output<typeof percentilesSpec>
export type HistogramSpec = z.output<typeof histogramSpec>
export type HeatmapSpec = z.output<typeof heatmapSpec>
export type SurvivalSpec = z.output<typeof survivalSpec>
export type ControlSpec = z.output<typeof controlSpec>
export type ChartSpec =
  | (LineSpec | ColumnsSpec | BarsSpec | PercentilesSpec)
  | (HistogramSpec | HeatmapSpec | SurvivalSpec | ControlSpec)

/** Every column that a chart reads. */
export function chartColumns(spec: ChartSpec): string[] {
  const optional = [
    ...('band' in spec ? (spec.band ?? []) : []),
    ...('interval' in spec ? (spec.interval ?? []) : []),
    ...('n' in spec ? [spec.n] : []),
    ...('color' in spec ? [spec.color] : []),
    ...('facet' in spec ? [spec.facet] : []),
    ...('outline' in spec ? [spec.outline] : []),
    ...('open' in spec ? [spec.open] : []),
    ...('target' in spec ? [spec.target] : []),
    ...('trend' in spec ? [spec.trend] : []),
    ...('censored' in spec ? [spec.censored] : []),
  ]
  return [spec.x, spec.y, optional].flat().filter((name) => name !== null)
}

/** Those that its `format` is about. */
export function measuredColumns(spec: ChartSpec): (string | null)[] {
  switch (spec.type) {
    case 'line':
      return [...spec.y, ...(spec.band ?? [])]
    case 'percentiles':
      return [...spec.x, ...(spec.interval ?? []), spec.target]
    case 'control':
      return [spec.y, spec.trend]
    case 'columns':
      return [spec.y]
    case 'heatmap':
      return [spec.color]
    default:
      // Bars, histograms and survival curves measure along x.
      return [spec.x].flat()
  }
}
