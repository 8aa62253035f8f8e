import type { UsualRange } from '../../render/result-parts.ts'

export const ALL_MISSING = 'No data: all values are missing.'
export const MOSTLY_OPEN = 'most are still open'
export const TOO_FEW_POINTS = 'too few points for an expected range'

/** Says how the range was computed, or why no week is called unusual. */
export const rangeNote = ({ points, judged, by }: UsualRange) =>
  judged ? `${points} points, limits from the ${by}` : `${points} points; assessed from 12`

export const lastComplete = (hasOlder: boolean) =>
  `figures are of the last complete one${hasOlder ? ' with a value' : ''}`
