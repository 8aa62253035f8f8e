import { type FormatContext, format, plain } from '../render/format.ts'
import type { Value } from '../render/result.ts'
import type { Measure } from './resolve/figure-sample.ts'

const wording = {
  duration: { less: 'faster', more: 'slower', either: 'faster or slower' },
  share: { less: 'lower', more: 'higher', either: 'lower or higher' },
  count: { less: 'fewer', more: 'more', either: 'fewer or more' },
} as const

/** A spike: one week or day with many times as many incidents as any other. See `reports/frame/judged.sql`. */
export interface Burst {
  isNow: boolean
  n: number
  part: number
  of: number
  from: Value
  isDay: boolean
  /** Only for counts: the ratio of daily rates between the periods, with and without the spike. */
  ratio: number | null
  ratioRest: number | null
}

/** A significantly long run of days without incidents. See `reports/frame/scoped-silences.sql`. */
export interface Silence {
  days: number
}

/**
 * The verdict on a change, from which all outputs take their words. `sure` is significant at 1%, `possible` at 5%.
 * Otherwise, `small` means that the whole 95% CI is small, and `unclear` that it is not. The other codes are reasons
 * why nothing was compared.
 */
export type Verdict =
  | { code: 'sure' | 'possible'; direction: -1 | 1 }
  | { code: 'small' | 'unread' }
  /** `isFar`: the count differs too much to be called unchanged. */
  | { code: 'unclear'; isFar: boolean }
  | { code: 'silence'; silence: Silence }
  | { code: 'burst'; burst: Burst }
  | { code: 'machine'; share: number }
  | { code: 'reason'; reason: string }

/** The facts behind a verdict. */
export interface Facts {
  measure: Measure
  /** Both periods were read in full. */
  comparable: boolean
  silence: Silence | null
  burst: Burst | null
  /** Share of durations below one second, if it is the majority. */
  atOnce: number | null
  /** Result of the macros, or null if they compare nothing. */
  basis: { certainty: number; sign: -1 | 0 | 1; isSmall: boolean } | null
  /** Relative change, or the difference of a share. */
  moved: number | null
  reason: string
}

/** A count that tripled or fell to a third is not called unchanged. */
const FAR = 3

/** Derives the verdict on a figure. */
export function judge({ measure, comparable, silence, burst, atOnce, basis, moved, reason }: Facts): Verdict {
  if (!comparable) return { code: 'unread' }
  if (measure === 'count' && silence) return { code: 'silence', silence }
  if (burst && isBurstSaid(measure, burst)) return { code: 'burst', burst }
  if (measure === 'duration' && atOnce !== null) return { code: 'machine', share: atOnce }
  if (!basis) return { code: 'reason', reason }
  const { certainty, sign, isSmall } = basis
  if (certainty > 0 && sign !== 0) return { code: certainty >= 0.99 ? 'sure' : 'possible', direction: sign }
  if (isSmall) return { code: 'small' }
  const isFar = measure === 'count' && moved !== null && (1 + moved >= FAR || 1 + moved <= 1 / FAR)
  return { code: 'unclear', isFar }
}

/** Counts are always affected by a spike. Shares and durations only if the spike is the majority of their incidents. */
function isBurstSaid(measure: Measure, { n, of, ratio }: Burst): boolean {
  return measure === 'count' ? ratio !== null : 2 * n > of
}

export const isCompared = ({ code }: Verdict) => ['sure', 'possible', 'small', 'unclear'].includes(code)

/** Returns the direction of a change that is significant at 1%, otherwise 0. */
export const directionOf = (verdict: Verdict) => (verdict.code === 'sure' ? verdict.direction : 0)

export const unknownBefore = 'not compared: previous data missing or incomplete'

/** Words a verdict for cards and files, or gives the reason why nothing was compared. */
export function verdictWords(verdict: Verdict, measure: Measure, context: FormatContext): string {
  switch (verdict.code) {
    case 'sure':
      return wordOf(verdict.direction, measure)
    case 'possible':
      return `possibly ${wordOf(verdict.direction, measure)}`
    case 'small':
      return 'about the same'
    case 'unclear':
      return verdict.isFar ? 'inconclusive' : 'no clear change'
    case 'unread':
      return unknownBefore
    case 'silence':
      return `not compared: no incidents recorded for ${verdict.silence.days} days`
    case 'burst':
      return burstWords(verdict.burst, measure, context)
    case 'machine':
      return `not compared: ${percent(verdict.share, context)} took less than a second (automation)`
    case 'reason':
      return verdict.reason
  }
}

/** Words a verdict for a sentence, such as `10% faster` or `not clearly faster or slower`. */
export function sentenceWords(verdict: Verdict, measure: Measure, amount: string): string {
  const moved = (word: string) => (amount === '' ? word : `${amount} ${word}`)
  const { either } = wording[measure]
  if (verdict.code === 'sure') return moved(wordOf(verdict.direction, measure))
  if (verdict.code === 'possible') return `possibly ${moved(wordOf(verdict.direction, measure))}`
  return isCompared(verdict) ? `not clearly ${either}` : `not known to be ${either}`
}

/** Details of a change from `reports/frame/figures.sql`. */
export interface Beside {
  /** The detectable change: the difference of a share, otherwise the relative change. */
  couldShow: number | null
  /** Only for durations: the change at the severity mix of the previous period. */
  movedAtMix: number | null
  /** Autocorrelation of adjacent weeks. */
  lag: number | null
  /** Number of severities with enough data, and how many of them fell or rose. */
  parts: { compared: number; less: number; more: number } | null
  mix: 'mix' | 'reversed' | 'hidden' | null
}

/** Above this autocorrelation, intervals of a few weeks are too narrow (simulated, see `sql/README.md`). */
const HANGS_TOGETHER = 0.5

/** Describes the limits of a verdict: the detectable change and autocorrelation. Empty if neither applies. */
export function reachWords(
  verdict: Verdict,
  measure: Measure,
  { couldShow, lag }: Beside,
  context: FormatContext,
): string {
  const least = (change: number) => (measure === 'share' ? points(change, context) : percent(change, context))
  return [
    ...(verdict.code === 'unclear' && couldShow !== null
      ? [`a change smaller than ${least(couldShow)} would not be detected`]
      : []),
    ...(isCompared(verdict) && lag !== null && lag >= HANGS_TOGETHER
      ? ['weekly values are autocorrelated, so the interval is approximate']
      : []),
  ].join('; ')
}

/**
 * Describes the change at a constant severity mix if it differs, such as `3% faster after adjusting for the severity mix`.
 */
export function mixWords(
  verdict: Verdict,
  { movedAtMix, parts, mix }: Beside,
  context: FormatContext,
): string {
  if (mix === null || movedAtMix === null || parts === null) return ''
  const left = percent(Math.abs(movedAtMix), context)
  const atMix = `${Math.abs(movedAtMix) < 0.005 ? 'no change' : `${left} ${wordOf(movedAtMix < 0 ? -1 : 1, 'duration')}`} after adjusting for the severity mix`
  if (mix === 'hidden') {
    const word = wordOf(parts.less === parts.compared ? -1 : 1, 'duration')
    return `${atMix}; each of the ${parts.compared} compared severities was ${word}`
  }
  if (verdict.code !== 'sure' && verdict.code !== 'possible') return ''
  const isNone = (verdict.direction < 0 ? parts.less : parts.more) === 0
  return `${atMix}${isNone ? `; no compared severity was ${wordOf(verdict.direction, 'duration')}` : ''}`
}

const wordOf = (direction: -1 | 1, measure: Measure) => wording[measure][direction < 0 ? 'less' : 'more']

/** Such as `7.5 times as many, nearly all on 25 Oct; without that day about as many`. */
function burstWords(burst: Burst, measure: Measure, context: FormatContext): string {
  const { isNow, n, part, of, from, isDay, ratio, ratioRest } = burst
  const number = (value: number) => plain(format(value, 'number', context))
  const date = plain(format(from, 'date', context))
  const when = isDay ? `on ${date}` : `in the week of ${date}`
  if (measure !== 'count')
    return `not compared: ${number(n)} of ${isNow ? '' : 'the previous period’s '}${number(of)} incidents occurred ${when}`
  const span = isDay ? 'day' : 'week'
  const rest = ratioRest === null ? '' : `; without that ${span} ${timesAsMany(ratioRest, context)}`
  const many = part >= 0.85 ? 'nearly all' : part > 0.5 ? 'most' : `${number(n)} of them`
  const which = isNow
    ? `${many} ${when}`
    : `because the previous period includes ${number(n)} incidents ${when}`
  return `${timesAsMany(ratio!, context)}, ${which}${rest}`
}

function timesAsMany(ratio: number, context: FormatContext): string {
  if (ratio >= 2) return `${plain(format(rounded(ratio), 'number', context))} times as many`
  if (ratio >= 0.75 && ratio <= 4 / 3) return 'about as many'
  return `${percent(Math.abs(ratio - 1), context)} ${ratio < 1 ? 'fewer' : 'more'}`
}

export const percent = (share: number, context: FormatContext) => plain(format(share, 'percent', context))
const rounded = (value: number) => (value < 10 ? Math.round(value * 10) / 10 : Math.round(value))

/** Formats percentage points. */
export function points(share: number, context: FormatContext): string {
  const number = plain(format(Math.abs(share) * 100, 'number', context))
  return `${number}\u00a0${number === '1' ? 'point' : 'points'}`
}
