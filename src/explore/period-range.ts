import { ConfigError } from '../errors.ts'
import { type Period, parsePeriod } from '../report/parse/parse-period.ts'
import { rangeLabel } from '../report/scope/frame-text.ts'
import { addDays, daysBetween, firstOfMonth, type LocalDate } from '../report/scope/local-date.ts'
import { resolvePeriod } from '../report/scope/period.ts'
import { isCalendarDay } from '../settings/instant.ts'
import { EVER } from './filter.ts'

/** The days of a period. The end is exclusive. */
export interface Days {
  readonly from: LocalDate
  readonly to: LocalDate
  /** The period has not ended, so it stops at the last day with data. */
  readonly isOpen: boolean
  readonly label: string
  readonly span: string
  /** URLs of the previous and the next period of equal length; null outside the data. */
  readonly before: string | null
  readonly after: string | null
}

/** First and last day of the data, both inclusive. */
export interface Reach {
  readonly first: LocalDate
  readonly last: LocalDate
}

/** Resolves a period from a URL. @throws ConfigError if the period is invalid */
export function daysOf(written: string, { first, last }: Reach): Days {
  if (written === EVER) {
    const ends = { from: first, to: addDays(last, 1) }
    return { ...ends, isOpen: true, label: rangeLabel(ends), span: 'all', before: null, after: null }
  }
  const period = parsePeriod(written)
  const { from, to, open, span } = resolvePeriod(period, last)
  if (![from, to].every((day) => isCalendarDay(day) && day >= '1970-01-01')) {
    throw new ConfigError(`"${written}" starts before 1970.`, { next: 'Choose a shorter period.' })
  }
  const whole = wholeOf(period, from, to)
  const [before, after] = [shifted(from, whole, -1), shifted(from, whole, 1)]
  return {
    ...{ from, to, isOpen: open, span, label: rangeLabel({ from, to }) },
    before: from > first ? before : null,
    after: whole <= last ? after : null,
  }
}

/** Returns the regular end of a period that may still be open. */
function wholeOf(period: Period, from: LocalDate, to: LocalDate): LocalDate {
  if (period.kind !== 'this' && period.kind !== 'named') return to
  const months = { day: 0, week: 0, month: 1, quarter: 3, year: 12 }[period.unit]
  return months > 0 ? firstOfMonth(from, months) : addDays(from, period.unit === 'week' ? 7 : 1)
}

/** Returns the adjacent period of the same length. Whole months move by months. */
function shifted(from: LocalDate, to: LocalDate, by: 1 | -1): string {
  const months = [1, 3, 12].find((count) => from.endsWith('-01') && firstOfMonth(from, count) === to)
  const move = (day: LocalDate) =>
    months === undefined ? addDays(day, by * daysBetween(from, to)) : firstOfMonth(day, by * months)
  return `${move(from)}..${move(to)}`
}

/** Chooses the bucket size of the history chart, so that it has about forty columns at most. */
export function bucketOf({ from, to }: Pick<Days, 'from' | 'to'>): 'day' | 'week' | 'month' {
  const days = daysBetween(from, to)
  return days <= 35 ? 'day' : days <= 371 ? 'week' : 'month'
}

export function bucketPeriod(unit: 'day' | 'week' | 'month', start: LocalDate): string {
  if (unit === 'day') return start
  return unit === 'month' ? start.slice(0, 7) : `${start}..${addDays(start, 7)}`
}
