/**
 * The p-quantile of values sorted upwards, by linear interpolation between the closest ranks: Hyndman and Fan (1996),
 * type 7, the same as DuckDB's `quantile_cont`. Null without values.
 */
export function quantile(sorted: readonly number[], p: number): number | null {
  if (sorted.length === 0) return null
  const rank = (sorted.length - 1) * p
  const below = sorted[Math.floor(rank)]!
  const above = sorted[Math.ceil(rank)]!
  return below + (above - below) * (rank - Math.floor(rank))
}
