import { expect } from 'vitest'

/** The same to six digits behind the point; null is null. */
export const near = (wanted: number | null | undefined) =>
  wanted === null || wanted === undefined ? null : expect.closeTo(wanted, 6)

/** What was found, where it is within what a table of four decimals of Student's t leaves open, else what was wanted. */
export function relative(wanted: number | null, found: unknown): unknown {
  if (wanted === null || typeof found !== 'number' || !Number.isFinite(wanted)) return wanted
  return Math.abs(found - wanted) <= 1e-3 * Math.abs(wanted) + 1e-6 ? found : wanted
}
