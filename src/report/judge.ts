import { type FormatContext, format, plain } from '../render/format.ts'
import type { Value } from '../render/result.ts'
import type { Measure } from './resolve/figure-sample.ts'

/** A change in a word, as the macros of `sql/` say it. */
const wording = {
  duration: { less: 'faster', more: 'slower', either: 'faster or slower' },
  share: { less: 'lower', more: 'higher', either: 'lower or higher' },
  count: { less: 'fewer', more: 'more', either: 'fewer or more' },
} as const

/** The one week, or day, of a period that brought many times as many as any other; see `reports/frame/judged.sql`. */
export interface Burst {
  isNow: boolean
  n: number
  /** How many of all of the period came in it: `nearly all` of them, `most`, or some. */
  part: number
  /** How many the period had with it. */
  of: number
  from: Value
  isDay: boolean
  /** Of a count: rates a day, this period over the previous one, and the same without the burst. */
  ratio: number | null
  ratioRest: number | null
}

/** A run of days without any incident that chance does not leave; see `reports/frame/scoped-silences.sql`. */
export interface Silence {
  days: number
}

/**
 * What is said of the change of a figure, and nothing else decides it: cards, prose, headlines, tables, the lead, mail and files
 * take their words from here. `sure` where 99 % speak for it, `possible` where 95 % do, `small` where what 95 % leave is small,
 * `unclear` where it is not. In all other cases nothing is compared: before the period nothing, or not all, was read; the period or the
 * previous one holds a silence; one burst is most of either; a machine makes these times; or the macros of `sql/` have a reason.
 */
export type Verdict =
  | { code: 'sure' | 'possible'; direction: -1 | 1 }
  | { code: 'small' | 'unread' }
  /** `isFar`: so many more or fewer that nobody would call it as before. */
  | { code: 'unclear'; isFar: boolean }
  | { code: 'silence'; silence: Silence }
  | { code: 'burst'; burst: Burst }
  | { code: 'machine'; share: number }
  | { code: 'reason'; reason: string }

/** What is known of a figure and of the period it speaks of. */
export interface Facts {
  measure: Measure
  /** Both periods were read in full. */
  comparable: boolean
  silence: Silence | null
  burst: Burst | null
  /** Of a duration the share that took less than a second, where that is most. */
  atOnce: number | null
  /** What the macros say of the change; null where they compare nothing. */
  basis: { certainty: number; sign: -1 | 0 | 1; isSmall: boolean } | null
  /** The change as a part, or of a share the difference. */
  moved: number | null
  /** Why nothing is compared. */
  reason: string
}

/** A count that is three times as many, or a third, did not stay as it was. */
const FAR = 3

/** The verdict on a figure. */
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

/** A count is always told by it; a share or a time where the burst is most of what it rests on. */
function isBurstSaid(measure: Measure, { n, of, ratio }: Burst): boolean {
  return measure === 'count' ? ratio !== null : 2 * n > of
}

/** Whether something was compared. */
export const isCompared = ({ code }: Verdict) => ['sure', 'possible', 'small', 'unclear'].includes(code)

/** Which way 99 % speak for; 0 for neither. */
export const directionOf = (verdict: Verdict) => (verdict.code === 'sure' ? verdict.direction : 0)

/** The verdict of a period before which nothing was read. */
export const unknownBefore = 'not compared: no earlier data, or not all read'

/** A verdict for a card and for files: one word where something was compared, else why nothing was. */
export function verdictWords(verdict: Verdict, measure: Measure, context: FormatContext): string {
  switch (verdict.code) {
    case 'sure':
      return wordOf(verdict.direction, measure)
    case 'possible':
      return `possibly ${wordOf(verdict.direction, measure)}`
    case 'small':
      return 'about the same'
    case 'unclear':
      return verdict.isFar ? 'too uncertain to tell' : 'no clear change'
    case 'unread':
      return unknownBefore
    case 'silence':
      return `not compared: no incident for ${verdict.silence.days} days`
    case 'burst':
      return burstWords(verdict.burst, measure, context)
    case 'machine':
      return `not compared: a machine does it, ${percent(verdict.share, context)} at once`
    case 'reason':
      return verdict.reason
  }
}

/** The same for a sentence: `10 % faster`, `not clearly faster or slower`. */
export function sentenceWords(verdict: Verdict, measure: Measure, amount: string): string {
  const moved = (word: string) => (amount === '' ? word : `${amount} ${word}`)
  const { either } = wording[measure]
  if (verdict.code === 'sure') return moved(wordOf(verdict.direction, measure))
  if (verdict.code === 'possible') return `possibly ${moved(wordOf(verdict.direction, measure))}`
  return isCompared(verdict) ? `not clearly ${either}` : `not known to be ${either}`
}

/** What `reports/frame/figures.sql` says of a change beside its verdict. */
export interface Beside {
  /** The smallest change that would have shown: of a share the difference, else the part more, or that many times less. */
  couldShow: number | null
  /** Of a duration, the change at the mix of severities of the previous period. */
  movedAtMix: number | null
  /** How far a week takes after the one before it. */
  lag: number | null
  /** How many severities changed, of those with enough on both sides. */
  parts: { compared: number; less: number; more: number } | null
  mix: 'mix' | 'reversed' | 'hidden' | null
}

/** From here on the intervals of a few weeks hold less than they say; simulated, see `sql/STATISTICS.md`. */
const HANGS_TOGETHER = 0.5

/**
 * How far a verdict reaches: `a change under 40 % would not show` where none is clear, and that weeks hang together; empty where
 * neither is so, or known.
 */
export function reachWords(
  verdict: Verdict,
  measure: Measure,
  { couldShow, lag }: Beside,
  context: FormatContext,
): string {
  const least = (change: number) => (measure === 'share' ? points(change, context) : percent(change, context))
  return [
    ...(verdict.code === 'unclear' && couldShow !== null
      ? [`a change under ${least(couldShow)} would not show`]
      : []),
    ...(isCompared(verdict) && lag !== null && lag >= HANGS_TOGETHER
      ? ['its weeks hang together, so the range is rough']
      : []),
  ].join('; ')
}

/** Where the severities say something else than all together: `3 % faster at the same mix of severities; none was slower`. */
export function mixWords(
  verdict: Verdict,
  { movedAtMix, parts, mix }: Beside,
  context: FormatContext,
): string {
  if (mix === null || movedAtMix === null || parts === null) return ''
  const left = percent(Math.abs(movedAtMix), context)
  const atMix = `${Math.abs(movedAtMix) < 0.005 ? 'no change' : `${left} ${wordOf(movedAtMix < 0 ? -1 : 1, 'duration')}`} at the same mix of severities`
  if (mix === 'hidden') {
    const word = wordOf(parts.less === parts.compared ? -1 : 1, 'duration')
    return `${atMix}: each of ${parts.compared} was ${word}`
  }
  if (verdict.code !== 'sure' && verdict.code !== 'possible') return ''
  const isNone = (verdict.direction < 0 ? parts.less : parts.more) === 0
  return `${atMix}${isNone ? `; none was ${wordOf(verdict.direction, 'duration')}` : ''}`
}

const wordOf = (direction: -1 | 1, measure: Measure) => wording[measure][direction < 0 ? 'less' : 'more']

/** `7.5 times as many, nearly all on 25 Oct; without them as before`. */
function burstWords(burst: Burst, measure: Measure, context: FormatContext): string {
  const { isNow, n, part, of, from, isDay, ratio, ratioRest } = burst
  const number = (value: number) => plain(format(value, 'number', context))
  const date = plain(format(from, 'date', context))
  const when = isDay ? `on ${date}` : `in the week of ${date}`
  if (measure !== 'count')
    return `not compared: ${number(n)} of ${number(of)} came ${when}${isNow ? '' : ', before the period'}`
  const rest = ratioRest === null ? '' : `; without them ${timesAsMany(ratioRest, context)}`
  const many = part >= 0.85 ? 'nearly all' : part > 0.5 ? 'most' : `${number(n)} of them`
  const which = isNow ? `${many} ${when}` : `as ${number(n)} came ${when}`
  return `${timesAsMany(ratio!, context)}, ${which}${rest}`
}

/** A ratio of counts in words. */
function timesAsMany(ratio: number, context: FormatContext): string {
  if (ratio >= 2) return `${plain(format(rounded(ratio), 'number', context))} times as many`
  if (ratio >= 0.75 && ratio <= 4 / 3) return 'as before'
  return `${percent(Math.abs(ratio - 1), context)} ${ratio < 1 ? 'fewer' : 'more'}`
}

export const percent = (share: number, context: FormatContext) => plain(format(share, 'percent', context))
const rounded = (value: number) => (value < 10 ? Math.round(value * 10) / 10 : Math.round(value))

/** Percentage points. */
export function points(share: number, context: FormatContext): string {
  return `${plain(format(Math.abs(share) * 100, 'number', context))}\u202fpp`
}
