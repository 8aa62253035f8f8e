import type { Format } from '../chart-spec.ts'
import type { UsualRange } from '../result.ts'

/**
 * The limits as they are named. Counts are whole: what lies inside of the limits is what a reader may see, and the same
 * as in a sentence.
 */
export function usualLimits(
  { low, centre, high }: UsualRange,
  as: Format,
): Pick<UsualRange, 'low' | 'centre' | 'high'> {
  if (as !== 'number') return { low, centre, high }
  return { low: Math.ceil(low), centre: Math.round(centre), high: Math.floor(high) }
}
