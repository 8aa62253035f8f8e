import { countText, format, plain } from '../../render/format.ts'
import { type IncidentList, measures, type Value } from '../../render/result-parts.ts'
import { shorten } from '../../render/sanitize-text.ts'
import { capital } from '../../render/text.ts'

/** Names the incidents of a list page, with their number. */
export function headingText({ label, of, count, marked }: IncidentList): string {
  const noun = new RegExp(`\\b${of}s?\\b`, 'i').test(label) ? '' : ` ${of}${count === 1 ? '' : 's'}`
  const number = marked && countText(marked.count)
  const [part, rest] =
    marked?.as === 'counted' ? [`${number} of `, ''] : ['', marked ? `, ${number} late` : '']
  return `${shorten(label, 120)}: ${part}${countText(count)}${noun}${rest}`
}

/** Says in which order a list page shows its incidents, and how many of them. */
export function orderText({ of, measure, marked, first, count }: IncidentList): string {
  const by = measure === null ? null : measures[measure].toLowerCase()
  const order =
    marked !== null
      ? `${capital(marked.as)} ${of}s first, then by ${of === 'page' ? 'time' : (by ?? 'severity and duration')}.`
      : of === 'page'
        ? 'Newest first.'
        : by === null
          ? 'Most severe first, then the longest.'
          : `Longest ${by} first.`
  return first.length < count ? `${order} The first ${countText(first.length)} are shown.` : order
}

export const allOf = (of: IncidentList['of']) => `All ${of}s of the report: `

export const notIn = (seconds: Value) =>
  `not in ${plain(format(seconds, 'duration', { timezone: 'UTC', year: '' }))}`
