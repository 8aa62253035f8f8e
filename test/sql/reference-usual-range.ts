import { quantile } from './reference-statistics.ts'

export interface UsualRange {
  low: number
  centre: number
  high: number
  by: 'mean' | 'median'
}

/**
 * The limits of an individuals chart (XmR) are mean ± 2.66·mean moving range, or median ± 3.145·median moving range
 * (Wheeler, Understanding Variation, 2nd ed., and Advanced Topics in Statistical Process Control, table A.6). Below 20
 * points the medians are used, so that one spike does not widen the range enough to hide itself. The lower limit is
 * not below `floor`. Null below 6 points, and if the range has width 0.
 */
export function usualRange(
  points: readonly number[],
  options: { by?: 'mean' | 'median'; floor?: number } = {},
): UsualRange | null {
  if (points.length < 6) return null
  const by = options.by ?? (points.length < 20 ? 'median' : 'mean')
  const moves = points.slice(1).map((point, index) => Math.abs(point - points[index]!))
  const centre = by === 'mean' ? mean(points) : middle(points)
  const reach = by === 'mean' ? 2.66 * mean(moves) : 3.145 * middle(moves)
  if (reach === 0) return null
  return {
    low: Math.max(options.floor ?? Number.NEGATIVE_INFINITY, centre - reach),
    centre,
    high: centre + reach,
    by,
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length
}

function middle(values: readonly number[]): number {
  return quantile(values, 0.5)!
}
