import { ConfigError } from '../errors.ts'
import { format, localTime, plain } from '../render/format.ts'
import { type Period, parsePeriod } from '../report/parse/parse-period.ts'
import { rangeLabel } from '../report/scope/frame-text.ts'
import { addDays, daysBetween, firstOfMonth, type LocalDate, startOfDay } from '../report/scope/local-date.ts'
import { resolvePeriod } from '../report/scope/period.ts'
import { isCalendarDay } from '../settings/instant.ts'
import { EVER, SHIFT } from './filter.ts'

/** The incidents of a period, by local day. The end is exclusive. */
interface Range {
  readonly from: LocalDate
  readonly to: LocalDate
  /** Incidents up to this time are excluded. Null for none. */
  readonly since: Date | null
  /** Time of the last read, for a period that has not ended. */
  readonly until: Date | null
}

/** The days of a period. */
export interface Days extends Range {
  readonly label: string
  readonly span: string
  /** URLs of the previous and the next period of equal length. Null for a period outside of the data. */
  readonly before: string | null
  readonly after: string | null
  /** Previous period of equal length, or null if the data does not cover it. */
  readonly previous: Range | null
  /** Whether a previous period exists, even if the data does not cover it. */
  readonly isComparable: boolean
}

/** First and last day of the data, both inclusive, and the time of the last read. */
export interface Reach {
  readonly first: LocalDate
  readonly last: LocalDate
  readonly asOf: Date
  readonly zone: string
}

const alone = { before: null, after: null, previous: null, isComparable: false }

/** Resolves a period from an address. @throws ConfigError if the period is invalid */
export function daysOf(written: string, { first, last, asOf, zone }: Reach, shiftStart: Date): Days {
  const end = addDays(last, 1)
  if (written === EVER) {
    const ends = { from: first, to: end }
    return { ...alone, ...ends, since: null, until: asOf, label: rangeLabel(ends), span: 'all' }
  }
  if (written === SHIFT) {
    const local = localTime(shiftStart, zone)
    const label = `Since ${plain(format(local, 'time', { timezone: zone, year: last.slice(0, 4) }))}`
    return {
      ...alone,
      from: local.slice(0, 10),
      to: end,
      since: shiftStart,
      until: asOf,
      label,
      span: 'this shift',
    }
  }
  const period = parsePeriod(written)
  const { from, to, previousFrom, open, span } = resolvePeriod(period, last)
  if (![from, to].every((day) => isCalendarDay(day) && day >= '1970-01-01')) {
    throw new ConfigError(`"${written}" starts before 1970.`, { next: 'Choose a shorter period.' })
  }
  const whole = wholeOf(period, from, to)
  const [before, after] = [shifted(from, whole, -1), shifted(from, whole, 1)]
  // As in reports, a period that has not ended is compared with the period of equal length before it.
  const since = open ? new Date(2 * startOfDay(from, zone).getTime() - asOf.getTime() - 1) : null
  return {
    ...{ from, to, since: null, until: open ? asOf : null, span, label: rangeLabel({ from, to }) },
    before: from > first ? before : null,
    after: whole <= last ? after : null,
    previous: previousFrom < first ? null : { from: previousFrom, to: from, since, until: null },
    isComparable: true,
  }
}

/** Returns the regular end of a period, even if the period is not over. */
function wholeOf(period: Period, from: LocalDate, to: LocalDate): LocalDate {
  if (period.kind !== 'this' && period.kind !== 'named') return to
  const { count = 1 } = period.kind === 'this' ? period : {}
  const months = { day: 0, week: 0, month: 1, quarter: 3, year: 12 }[period.unit]
  if (months > 0) return firstOfMonth(from, months * count)
  return addDays(from, count * (period.unit === 'week' ? 7 : 1))
}

/** Returns the adjacent period of the same length. Whole months move by months. */
function shifted(from: LocalDate, to: LocalDate, by: 1 | -1): string {
  const months = [1, 3, 12].find((count) => from.endsWith('-01') && firstOfMonth(from, count) === to)
  const move = (day: LocalDate) =>
    months === undefined ? addDays(day, by * daysBetween(from, to)) : firstOfMonth(day, by * months)
  return `${move(from)}..${move(to)}`
}

/** Chooses the bucket size of the history chart. The chart then has about forty columns at most. */
export function bucketOf({ from, to }: Pick<Days, 'from' | 'to'>): 'day' | 'week' | 'month' {
  const days = daysBetween(from, to)
  return days <= 35 ? 'day' : days <= 371 ? 'week' : 'month'
}

export function bucketPeriod(unit: 'day' | 'week' | 'month', start: LocalDate): string {
  if (unit === 'day') return start
  return unit === 'month' ? start.slice(0, 7) : `${start}..${addDays(start, 7)}`
}
