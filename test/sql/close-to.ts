import { expect } from 'vitest'

export const near = (wanted: number | null | undefined) =>
  wanted === null || wanted === undefined ? null : expect.closeTo(wanted, 6)

/**
 * Returns `found` if it equals `wanted` within the precision of a t table with four decimals. Otherwise returns
 * `wanted`.
 */
export function relative(wanted: number | null, found: unknown): unknown {
  if (wanted === null || typeof found !== 'number' || !Number.isFinite(wanted)) return wanted
  return Math.abs(found - wanted) <= 1e-3 * Math.abs(wanted) + 1e-6 ? found : wanted
}
