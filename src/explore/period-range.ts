import { ConfigError } from '../errors.ts'
import { format, localTime, plain } from '../render/format.ts'
import { type Period, parsePeriod } from '../report/parse/parse-period.ts'
import { periodLabel, rangeLabel } from '../report/scope/frame-text.ts'
import { addDays, daysBetween, firstOfMonth, type LocalDate, startOfDay } from '../report/scope/local-date.ts'
import { resolvePeriod } from '../report/scope/period.ts'
import { isCalendarDay } from '../settings/instant.ts'
import { EVER, SHIFT } from './filter.ts'

/** A period of days. `since` and `until` can exclude parts of them. */
interface Range {
  /** First day. */
  readonly from: LocalDate
  /** Day after the last day. */
  readonly to: LocalDate
  /** If not null, excludes incidents up to and including this time. */
  readonly since: Date | null
  /** If not null, excludes incidents after this time. */
  readonly until: Date | null
}

/** A period with its name, and with the periods before and after it. */
export interface Days extends Range {
  readonly label: string
  readonly span: string
  /** The preceding period of the same length, as written in a URL. Null if it is outside the data. */
  readonly before: string | null
  /** The following period of the same length, as written in a URL. Null if it is outside the data. */
  readonly after: string | null
  /** The previous period, for comparison. Null if the data does not cover it. */
  readonly previous: Range | null
  /** Whether the period has a previous period, even if the data does not cover it. */
  readonly isComparable: boolean
}

/** The days that the data covers, from `first` to `last` inclusive. `asOf` is the time of the last sync. */
export interface Reach {
  readonly first: LocalDate
  readonly last: LocalDate
  readonly asOf: Date
  readonly zone: string
}

const alone = { before: null, after: null, previous: null, isComparable: false }

/** @throws ConfigError if the period, as written in a URL, is invalid */
export function daysOf(written: string, { first, last, asOf, zone }: Reach, shiftStart: Date): Days {
  const end = addDays(last, 1)
  if (written === EVER) {
    const ends = { from: first, to: end }
    return { ...alone, ...ends, since: null, until: asOf, label: rangeLabel(ends), span: 'all' }
  }
  if (written === SHIFT) {
    const local = localTime(shiftStart, zone)
    const label = `Since ${plain(format(local, 'time', { timezone: zone, year: last.slice(0, 4) }))}`
    const range = { from: local.slice(0, 10), to: end, since: shiftStart, until: asOf }
    return { ...alone, ...range, label, span: 'this shift' }
  }
  const period = parsePeriod(written)
  const { from, to, previousFrom, open, span } = resolvePeriod(period, last)
  if (![from, to].every((day) => isCalendarDay(day) && day >= '1970-01-01')) {
    throw new ConfigError(`"${written}" starts before 1970.`, { next: 'Choose a shorter period.' })
  }
  const whole = wholeOf(period, from, to)
  const [before, after] = [shifted(from, whole, -1), shifted(from, whole, 1)]
  // As in reports, the period before an unfinished period is as long as the time that has passed.
  const since = open ? new Date(2 * startOfDay(from, zone).getTime() - asOf.getTime() - 1) : null
  return {
    ...{ from, to, since: null, until: open ? asOf : null, span, label: periodLabel({ from, to }) },
    before: from > first ? before : null,
    after: whole <= last ? after : null,
    previous: previousFrom < first ? null : { from: previousFrom, to: from, since, until: null },
    isComparable: true,
  }
}

/** Returns the day after the last day of a period, even if the period has not ended yet. */
function wholeOf(period: Period, from: LocalDate, to: LocalDate): LocalDate {
  if (period.kind !== 'this' && period.kind !== 'named') return to
  const units = 1 + ((period.kind === 'this' && period.count) || 0)
  const months = { day: 0, week: 0, month: 1, quarter: 3, year: 12 }[period.unit]
  if (months > 0) return firstOfMonth(from, months * units)
  return addDays(from, units * (period.unit === 'week' ? 7 : 1))
}

/** A period of one, three or twelve whole months moves by calendar months. */
function shifted(from: LocalDate, to: LocalDate, by: 1 | -1): string {
  const months = [1, 3, 12].find((count) => from.endsWith('-01') && firstOfMonth(from, count) === to)
  const move = (day: LocalDate) =>
    months === undefined ? addDays(day, by * daysBetween(from, to)) : firstOfMonth(day, by * months)
  return `${move(from)}..${move(to)}`
}

/** Charts of up to a year have at most 53 columns. */
export function bucketOf({ from, to }: Pick<Days, 'from' | 'to'>): 'day' | 'week' | 'month' {
  const days = daysBetween(from, to)
  return days <= 35 ? 'day' : days <= 371 ? 'week' : 'month'
}

/** Returns the period that a chart column covers, as written in a URL. */
export function bucketPeriod(unit: 'day' | 'week' | 'month', start: LocalDate): string {
  if (unit === 'day') return start
  return unit === 'month' ? start.slice(0, 7) : `${start}..${addDays(start, 7)}`
}
