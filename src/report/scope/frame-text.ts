import { figureText, format, plain } from '../../render/format.ts'
import type { Coverage } from '../../render/result.ts'
import { addDays } from './local-date.ts'
import type { Dates } from './period.ts'

/** Words the warning about an incomplete period. `local` is the time of the last read. */
export function incompleteText({ to }: Dates, local: string): string {
  const text = (value: string, kind: 'date' | 'time') =>
    plain(format(value, kind, { timezone: 'UTC', year: '' }))
  return `Incomplete: the period ends with ${text(addDays(to, -1), 'date')}, and the data at ${text(local, 'time')}.`
}

/** Such as `3 Aug – 1 Nov 2026`, including the last day. A single day appears once. */
export function rangeLabel({ from, to }: { from: string; to: string }): string {
  const last = addDays(to, -1)
  const date = (text: string, year: string) => plain(format(text, 'date', { timezone: 'UTC', year }))
  const end = date(last, '')
  return from === last ? end : `${date(from, last.slice(0, 4))} – ${end}`
}

/**
 * Such as `100 % of the period read, data since 3 Aug`. @param local time of the last read @param first start of the
 * data
 */
export function coverageText(dates: Dates, { share }: Coverage, local: string, first: string): string {
  const date = (text: string) => figureText('date', { timezone: 'UTC' })(text.slice(0, 10))
  const gaps = [
    ...(first.slice(0, 10) > dates.from ? [`only from ${date(first)}`] : []),
    ...(local.slice(0, 10) < dates.to ? [`only up to ${date(local)}`] : []),
  ]
  const data = gaps.length ? `data ${gaps.join(' and ')}` : `data since ${date(first)}`
  if (share === null) return data
  return `${figureText('percent', { timezone: 'UTC' })(share)} of the period read, ${data}`
}
