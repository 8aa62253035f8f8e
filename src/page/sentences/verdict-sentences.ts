import { type Beside, type Burst, isCompared, type Verdict } from '../../judge/change-verdict.ts'
import type { Usual } from '../../judge/figures.ts'
import { type FormatContext, format, plain } from '../../render/format.ts'
import { shorten } from '../../render/sanitize-text.ts'
import type { Measure } from '../../report/figure-sample.ts'
import { partWords } from './data-sentences.ts'
import { NOT_COMPARED } from './period-sentences.ts'
import { NAME_MAX, text } from './sentence-parts.ts'

const wording = {
  duration: { less: 'faster', more: 'slower' },
  share: { less: 'lower', more: 'higher' },
  count: { less: 'fewer', more: 'more' },
} as const

/**
 * Describes a verdict, such as `possibly faster`. If nothing was compared, returns the reason.
 * @param amount size of a change, for `possibly 10% faster`
 */
export function verdictWords(
  verdict: Verdict,
  measure: Measure,
  context: FormatContext,
  amount = '',
): string {
  switch (verdict.code) {
    case 'sure':
    case 'possible': {
      const start = verdict.code === 'sure' ? '' : 'possibly '
      return `${start}${amount === '' ? '' : `${amount} `}${wordOf(verdict.direction, measure)}`
    }
    case 'small':
      return 'about the same'
    case 'unclear':
      return verdict.isFar ? 'inconclusive' : 'no clear change'
    case 'unread':
      return NOT_COMPARED
    case 'silence': {
      const { days, from, isOpen, part } = verdict.silence
      const date = plain(format(from, 'date', context))
      if (part)
        return `not compared: no incidents recorded ${partWords(part.topic, part.name)} ${isOpen ? `since ${date}` : `for ${days} days from ${date}`}`
      return `not compared: data gap ${isOpen ? `since ${date}` : `of ${days} days from ${date}`}`
    }
    case 'burst':
      return burstWords(verdict.burst, measure, context)
    case 'machine':
      return `not compared: ${percent(verdict.share, context)} took less than a second (automation)`
    case 'renamed':
      return 'not compared: severities were probably renamed'
    case 'moved':
      return `not compared: a channel of ${shorten(verdict.from, NAME_MAX)} moved to another team`
    case 'timer':
      return `not compared: ${verdict.closed} of ${verdict.of} were closed after exactly ${plain(format(verdict.after, 'duration', context))}`
    case 'reason':
      return verdict.reason ?? 'nothing to compare with'
  }
}

/** Above this autocorrelation, intervals based on a few weeks are too narrow. See `sql/README.md`. */
const HANGS_TOGETHER = 0.5

/** Describes the smallest change that would be detected, and autocorrelation. Empty if neither applies. */
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

/** Returns `3% faster after adjusting for the severity mix`, for example. Empty if the mix has no effect. */
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

/** Describes a spike, such as `7.5 times as many, nearly all on 25 Oct; without that day about as many`. */
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
  if (ratio >= 2) return `${text(ratio, 'number', context)} times as many`
  if (ratio >= 0.9 && ratio <= 1.1) return 'about as many'
  return `${percent(Math.abs(ratio - 1), context)} ${ratio < 1 ? 'fewer' : 'more'}`
}

export const percent = (share: number, context: FormatContext) => plain(format(share, 'percent', context))

export function points(share: number, context: FormatContext): string {
  const number = plain(format(Math.abs(share) * 100, 'number', context))
  return `${number}\u00a0${number === '1' ? 'point' : 'points'}`
}

/** With few weeks, returns only the count, because a report with more weeks would show a different range. */
export function usualText(usual: Usual | undefined, context: FormatContext): string {
  if (usual === undefined) return 'no full week yet'
  const number = (value: number | null) => plain(format(value, 'number', context))
  const start = `${number(usual.last)} in the last full ${context.bucket ?? 'week'}`
  if (usual.isRare) return `${start}; too few for an expected range`
  if (!usual.range?.judged) return start
  // The chart marks every week outside the range with a ring, so the title must mention these weeks.
  const { outside, direction } = usual
  // Counts are integers, so the text shows the smallest and largest integer inside the limits.
  const range = `${number(usual.least)}\u2060–\u2060${number(usual.most)}`
  if (usual.isInGap) return `${start} (expected: ${range}; data gap)`
  if (direction !== 0) return `${start}, ${direction > 0 ? 'above' : 'below'} the expected range (${range})`
  const others =
    outside === 0 ? '' : `; outside in ${outside} of ${usual.range.points} ${context.bucket ?? 'week'}s`
  return `${start} (expected: ${range}${others})`
}
