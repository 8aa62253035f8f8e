import { isCompared, type Verdict } from '../../judge/change-verdict.ts'
import type { Frame, Inline, KpiCard } from '../../render/result.ts'
import { periodLabel } from '../../report/scope/frame-text.ts'
import { led, say, withinSentence } from './sentence-parts.ts'
import { monthOf } from './subject-sentences.ts'

/**
 * Returns the judgment that opens a report about one month, such as `October was an ordinary month for high-severity
 * incidents (327; September: 335).` Empty if the period is not one month, or is not compared with the whole month before.
 * If it is the highest or lowest of at least seven months, says that instead of calling the month ordinary.
 * @param card a card with a count
 * @param months counts of whole months, of which the last is this month
 */
export function monthSentence(
  frame: Frame,
  { label, value, change, link, listBefore }: KpiCard,
  verdict: Verdict,
  months: readonly number[] = [],
): Inline[] {
  const month = monthOf(frame)
  const last = nameOfBefore(frame)
  if (month === null || last === null || !isCompared(verdict) || change?.previous == null) return []
  const what = withinSentence(label)
  const before = led({ kind: 'value', parts: change.previous }, listBefore)
  const shown = led({ kind: 'value', parts: value }, link)
  if (verdict.code === 'unclear' && verdict.isFar)
    return say`${label}: ${shown} in ${month}, ${before} in ${last}. This may be chance.`
  const isOrdinary = verdict.code === 'small' || verdict.code === 'unclear'
  const extreme = isOrdinary && months.length >= 7 ? extremeOf(months) : null
  if (extreme) return say`${label}: ${shown} in ${month}, ${before} in ${last}; ${extreme}.`
  return isOrdinary
    ? say`${month} was an ordinary month for ${what} (${shown}; ${last}: ${before}).`
    : say`${label} in ${month}: ${shown}, ${change.words} than in ${last} (${before}).`
}

/** Puts `October is not comparable with September: ` before the sentence about a data gap, if these are whole months. */
export function gapOfMonth(frame: Frame, [start, ...rest]: readonly Inline[]): Inline[] {
  const [month, last] = [monthOf(frame), nameOfBefore(frame)]
  if (month === null || last === null || start?.kind !== 'text') return [...(start ? [start] : []), ...rest]
  const words = `${month} is not comparable with ${last}: ${start.text.replace(/^No/, 'no')}`
  return [{ kind: 'text', text: words }, ...rest]
}

function extremeOf(months: readonly number[]): string | null {
  const [now, ...earlier] = months.toReversed()
  const which = now! > Math.max(...earlier) ? 'most' : now! < Math.min(...earlier) ? 'fewest' : null
  return which && `the ${which} in ${months.length} months`
}

/** Returns the first day of the month before. */
export function monthBefore(day: string): string {
  const start = new Date(day)
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - 1)).toISOString().slice(0, 10)
}

/** Returns the name of the month before the period, if the previous period is that whole month. */
function nameOfBefore(frame: Frame): string | null {
  const before = { from: monthBefore(frame.from), to: frame.from }
  return frame.previousLabel === periodLabel(before) ? monthOf({ ...frame, ...before }) : null
}
