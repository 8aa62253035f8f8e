/** How values are shown. A duration is in seconds, a percent is a share between 0 and 1. */
export type Format = 'duration' | 'number' | 'percent' | 'date' | 'time' | 'text'

/** Lines over time, with labels at their ends and an optional band behind the first one. */
export interface LineSpec {
  type: 'line'
  x: string
  y: readonly string[]
  /** Names of the lines; null: the columns' names. */
  labels: readonly string[] | null
  band: readonly [string, string] | null
  /** Column with the number of observations; points with fewer than `small` are drawn hollow. */
  n: string | null
  small: number
  /** Column with how many are still open and have no value yet; written under the points. */
  open: string | null
  scale: 'linear' | 'log'
  format: Format
}

/** Single values over time with their usual range (XmR); values outside of it are marked. */
export interface ControlSpec {
  type: 'control'
  x: string
  y: string
  /** Column of a trend's line, null where there is none; drawn thin. */
  trend?: string | null
  n: string | null
  small: number
  scale: 'linear' | 'log'
  format: Format
}

/** Upright columns per bucket, stacked or side by side when there is a `color`. */
export interface ColumnsSpec {
  type: 'columns'
  x: string
  y: string
  color: string | null
  stack: boolean
  /** One small chart for each value of this column, on the same scale. */
  facet: string | null
  format: Format
}

/** Horizontal bars, one for each category. */
export interface BarsSpec {
  type: 'bars'
  x: string
  y: string
  color: string | null
  format: Format
}

/** p10 to p90 as a line, the middle half as a bar, the median as a gap; one row for each category. */
export interface PercentilesSpec {
  type: 'percentiles'
  /** Columns of p10, p25, median, p75 and p90. */
  x: readonly [string, string, string, string, string]
  y: string
  n: string | null
  small: number
  /** Columns of the ends of the median's 95 % interval, drawn as a bracket. */
  interval: readonly [string, string] | null
  /** Column of a target, drawn as a mark across the row. */
  target: string | null
  /** Column with how many are still open, written after n. */
  open: string | null
  scale: 'linear' | 'log'
  format: Format
}

/** Counts between bounds; `x` names the columns of the lower and the upper bound. */
export interface HistogramSpec {
  type: 'histogram'
  x: readonly [string, string]
  y: string
  scale: 'linear' | 'log'
  format: Format
}

/** Counts by hour (x, 0 to 23) and weekday (y, 1 is Monday). */
export interface HeatmapSpec {
  type: 'heatmap'
  x: string
  y: string
  color: string
  /** Column that is true for outlined cells, such as working hours. */
  outline: string | null
  format: Format
}

/** A falling step curve: the share `y` still open after the time `x`. */
export interface SurvivalSpec {
  type: 'survival'
  x: string
  y: string
  /** Columns of the ends of the share's 95 % interval. */
  band: readonly [string, string] | null
  /** Column with how many were censored (still open when last seen) at that time; marked on the curve. */
  censored: string | null
  scale: 'linear' | 'log'
  format: Format
}

export type ChartSpec =
  | LineSpec
  | ControlSpec
  | ColumnsSpec
  | BarsSpec
  | PercentilesSpec
  | HistogramSpec
  | HeatmapSpec
  | SurvivalSpec
