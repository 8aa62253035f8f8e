import { figureText, format, plain } from '../../render/format.ts'
import type { Coverage, Frame } from '../../render/result.ts'
import { LEAST_READ } from '../../render/summary.ts'
import { addDays, firstOfMonth } from './local-date.ts'
import type { Dates } from './period.ts'

const UTC = { timezone: 'UTC' }

/** Returns a warning that the data ends before the period does. @param local local time at which the data ends */
export function incompleteText({ to }: Dates, local: string): string {
  const [day, time] = [figureText('date', UTC)(addDays(to, -1)), figureText('time', UTC)(local)]
  return `Incomplete: the period ends on ${day}, but the data ends at ${time}.`
}

/** Returns `3 Aug – 1 Nov 2026`, or a single date. `to` is exclusive, so the text shows the day before it. */
export function rangeLabel({ from, to }: { from: string; to: string }): string {
  const last = addDays(to, -1)
  const date = (text: string, year: string) => plain(format(text, 'date', { timezone: 'UTC', year }))
  const end = date(last, '')
  return from === last ? end : `${date(from, last.slice(0, 4))} – ${end}`
}

/** Returns `October 2026` for a whole month, and otherwise the dates. */
export function periodLabel(dates: { from: string; to: string }): string {
  return monthLabel(dates) ?? rangeLabel(dates)
}

/** Returns null if the period is not a whole month. */
export function monthLabel({ from, to }: { from: string; to: string }, hasYear = true): string | null {
  if (!from.endsWith('-01') || firstOfMonth(from, 1) !== to) return null
  const year = hasYear ? ({ year: 'numeric' } as const) : {}
  return new Intl.DateTimeFormat('en', { month: 'long', ...year, timeZone: 'UTC' }).format(new Date(from))
}

/**
 * Returns `coverage 100%, data from 3 Aug 2026`. The data starts at the local time `first` and ends at `local`. The text
 * is also `incomplete` if the data does not cover the whole period.
 */
export function coverageTexts(
  dates: Dates,
  { share }: Coverage,
  local: string,
  first: string,
): Pick<Frame, 'coverage' | 'incomplete'> {
  const date = (text: string) => figureText('date', UTC)(text.slice(0, 10))
  const gaps = [
    ...(first.slice(0, 10) > dates.from ? [`starts on ${date(first)}`] : []),
    ...(local.slice(0, 10) < dates.to ? [`ends on ${date(local)}`] : []),
  ]
  const data = gaps.length ? `data ${gaps.join(' and ')}` : `data from ${date(first)}`
  const coverage = share === null ? data : `coverage ${figureText('percent', UTC)(share)}, ${data}`
  const isComplete = gaps.length === 0 && share !== null && share >= LEAST_READ
  return { coverage, incomplete: isComplete ? undefined : coverage }
}
