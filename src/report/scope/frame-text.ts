import { format, plain } from '../../render/format.ts'
import { addDays, firstOfMonth } from './local-date.ts'

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
