import { figureText, format, plain } from '../../render/format.ts'
import type { Coverage } from '../../render/result.ts'
import { addDays } from './local-date.ts'
import type { Dates } from './period.ts'

/** Returns the warning about an incomplete period. `local` is the time of the last read. */
export function incompleteText({ to }: Dates, local: string): string {
  const text = (value: string, kind: 'date' | 'time') =>
    plain(format(value, kind, { timezone: 'UTC', year: '' }))
  return `Incomplete: the period ends on ${text(addDays(to, -1), 'date')}, but the data ends at ${text(local, 'time')}.`
}

/** Returns `3 Aug – 1 Nov 2026`, including the last day. A single day appears once. */
export function rangeLabel({ from, to }: { from: string; to: string }): string {
  const last = addDays(to, -1)
  const date = (text: string, year: string) => plain(format(text, 'date', { timezone: 'UTC', year }))
  const end = date(last, '')
  return from === last ? end : `${date(from, last.slice(0, 4))} – ${end}`
}

/**
 * Such as `coverage 100%, data from 3 Aug 2026`. @param local time of the last read @param first start of the
 * data
 */
export function coverageText(dates: Dates, { share }: Coverage, local: string, first: string): string {
  const date = (text: string) => figureText('date', { timezone: 'UTC' })(text.slice(0, 10))
  const gaps = [
    ...(first.slice(0, 10) > dates.from ? [`starts on ${date(first)}`] : []),
    ...(local.slice(0, 10) < dates.to ? [`ends on ${date(local)}`] : []),
  ]
  const data = gaps.length ? `data ${gaps.join(' and ')}` : `data from ${date(first)}`
  if (share === null) return data
  return `coverage ${figureText('percent', { timezone: 'UTC' })(share)}, ${data}`
}
