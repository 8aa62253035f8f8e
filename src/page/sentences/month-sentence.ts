import { isCompared, type Verdict } from '../../judge/change-verdict.ts'
import { plain } from '../../render/format.ts'
import type { Frame, Inline, KpiCard } from '../../render/result.ts'
import { monthOf } from './subject-sentences.ts'

/**
 * Returns the judgment that opens a report about one month, such as `October was an ordinary month for high-severity
 * incidents (327; September: 335).` Empty if the period is not one month, or if the card is not compared.
 */
export function monthSentence(
  frame: Frame,
  { label, value, change, link }: KpiCard,
  verdict: Verdict,
): Inline[] {
  const month = monthOf(frame)
  if (month === null || !isCompared(verdict) || change?.previous == null) return []
  const what = `${label.charAt(0).toLowerCase()}${label.slice(1)}`
  const before = plain(change.previous)
  const last = monthBefore(frame)
  const text = (words: string): Inline => ({ kind: 'text', text: words })
  const shown: Inline = { kind: 'value', parts: value, ...(link ? { list: link } : {}) }
  return verdict.code === 'small' || (verdict.code === 'unclear' && !verdict.isFar)
    ? [text(`${month} was an ordinary month for ${what} (`), shown, text(`; ${last}: ${before}).`)]
    : [text(`${label} in ${month}: `), shown, text(`, ${change.words} than in ${last} (${before}).`)]
}

function monthBefore({ from }: Frame): string {
  const start = new Date(from)
  const before = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() - 1)
  return new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' }).format(before)
}
