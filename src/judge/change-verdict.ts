import type { Value } from '../render/result.ts'
import type { Measure } from '../report/figure-sample.ts'

/** A spike: a week or day with many times as many incidents as any other. See `reports/frame/judged.sql`. */
export interface Burst {
  isNow: boolean
  n: number
  part: number
  of: number
  from: Value
  isDay: boolean
  /** Only for counts: the ratio of daily rates between the periods. `ratioRest` excludes the spike. */
  ratio: number | null
  ratioRest: number | null
}

/** A run of days without incidents that is too long to be chance. See `reports/frame/scoped-silences.sql`. */
export interface Silence {
  days: number
  from: Value
  /** Whether no incidents were recorded since. */
  isOpen: boolean
  /** The team, channel or severity without incidents. Undefined if no incidents were recorded at all. */
  part?: { topic: string; name: string }
}

/**
 * Decides the wording of a change. `sure` is significant at 1%, and `possible` at 5%. Otherwise, a change is `small` if
 * both ends of its 95% CI are small, or else `unclear`. All other codes are reasons why nothing was compared.
 */
export type Verdict =
  | { code: 'sure' | 'possible'; direction: -1 | 1 }
  | { code: 'small' | 'unread' }
  /** If `isFar`, the count differs too much to be called unchanged. */
  | { code: 'unclear'; isFar: boolean }
  | { code: 'silence'; silence: Silence }
  | { code: 'burst'; burst: Burst }
  | { code: 'machine'; share: number }
  /** A severity was probably renamed, so counts by severity differ for that reason alone. */
  | { code: 'renamed' }
  /** A team has a channel that another team (`from`) had before. */
  | { code: 'moved'; from: string }
  /** Most incidents were closed after the same time in seconds (`after`), which looks like a timer. */
  | { code: 'timer'; closed: number; of: number; after: number }
  /** Null if there is nothing to compare with. */
  | { code: 'reason'; reason: string | null }

export interface Facts {
  measure: Measure
  /** Whether both periods were read in full. */
  comparable: boolean
  silence: Silence | null
  burst: Burst | null
  /** Share of durations below one second. Null if they are not the majority. */
  atOnce: number | null
  /** Result of the SQL macros. Null if nothing was compared. */
  basis: { certainty: number; sign: -1 | 0 | 1; isSmall: boolean } | null
  /** The relative change. For a share, the difference. */
  moved: number | null
  reason: string | null
}

/** A count that rose or fell by at least this factor is not called unchanged. */
const FAR = 3

export function judge({ measure, comparable, silence, burst, atOnce, basis, moved, reason }: Facts): Verdict {
  if (!comparable) return { code: 'unread' }
  if (silence) return { code: 'silence', silence }
  if (burst && isBurstSaid(measure, burst)) return { code: 'burst', burst }
  if (measure === 'duration' && atOnce !== null) return { code: 'machine', share: atOnce }
  if (!basis) return { code: 'reason', reason }
  const { certainty, sign, isSmall } = basis
  if (certainty > 0 && sign !== 0) return { code: certainty >= 0.99 ? 'sure' : 'possible', direction: sign }
  if (isSmall) return { code: 'small' }
  const isFar = measure === 'count' && moved !== null && (1 + moved >= FAR || 1 + moved <= 1 / FAR)
  return { code: 'unclear', isFar }
}

/** For shares and durations, a spike matters only if it contains the majority of the incidents. */
function isBurstSaid(measure: Measure, { n, of, ratio }: Burst): boolean {
  return measure === 'count' ? ratio !== null : 2 * n > of
}

export const isCompared = ({ code }: Verdict) => ['sure', 'possible', 'small', 'unclear'].includes(code)

/** Returns 0 if the change is not significant at 1%. */
export const directionOf = (verdict: Verdict) => (verdict.code === 'sure' ? verdict.direction : 0)

/** Details of a change from `reports/frame/figures.sql`. */
export interface Beside {
  /** The smallest change that would be detected: a difference for a share, otherwise a relative change. */
  couldShow: number | null
  /** Only for durations: what the change would be with the severity mix of the previous period. */
  movedAtMix: number | null
  /** Autocorrelation of adjacent weeks. */
  lag: number | null
  /** Number of severities compared, and of those in which the figure fell (`less`) or rose (`more`). */
  parts: { compared: number; less: number; more: number } | null
  mix: 'mix' | 'reversed' | 'hidden' | null
}
