import { plain } from '../../render/format.ts'
import type { Change, KpiCard } from '../../render/result-parts.ts'

type Target = NonNullable<KpiCard['target']>

/** Formats a target and its result, such as `✓ Objective: at least 90%`, or `Objective: at least 90% (inconclusive)`. */
export const targetText = (target: Target) => objectiveText(target, doubtOf(target))

/** @param doubt why the result is open, or null */
export function objectiveText({ text, met }: Pick<Target, 'text' | 'met'>, doubt: string | null): string {
  const objective = `Objective: ${text}`
  return doubt === null ? `${met ? '✓' : '✗'} ${objective}` : `${objective} (${doubt})`
}

export function doubtOf({ isNoise, isFew }: Target): string | null {
  return isNoise ? (isFew ? 'too few to assess' : 'inconclusive') : null
}

const arrows = { up: '▲ ', down: '▼ ', none: '' } as const

type Verdict = Pick<Change, 'direction' | 'amount' | 'verdict' | 'tone'>

/** Formats the verdict on a change, such as `about the same`, `▲ 12% slower, worse` or `too few to compare`. */
export function verdictText({ direction, amount, verdict, tone }: Verdict): string {
  // The last word repeats the meaning of the color for readers who cannot see it.
  return `${arrows[direction]}${amount && `${amount} `}${verdict}${tone === 'same' ? '' : `, ${tone}`}`
}

/** Returns `previously 32 min (change: 95% CI −14 to +32%)`, for example. Empty if nothing is compared. */
export function basisText({ previous, note }: Pick<Change, 'previous' | 'note'>): string {
  return previous === null
    ? ''
    : `previously ${plain(previous)}${note && ` (change: 95%\u00a0CI\u00a0${note})`}`
}
