import { ConfigError } from '../../errors.ts'
import type { QueryParameters } from '../../warehouse/read/bind.ts'
import type { Period, Unit } from '../parse/parse-period.ts'
import { addDays, daysBetween, firstOfMonth, type LocalDate, mondayOf, startOfDay } from './local-date.ts'
import type { Chosen } from './report-filters.ts'

/** A period in local dates; every end is exclusive. */
export interface Dates {
  previousFrom: LocalDate
  from: LocalDate
  to: LocalDate
  /** The bucket that runs since `to`, when the period ends at the last whole one. */
  running: boolean
  /**
   * The period is not over: it ends at the moment the data was read, and what it is compared with is as long as it is so
   * far, so that half a month is not compared with a whole one.
   */
  open: boolean
  span: string
}

/**
 * The dates of a period, seen from a local day: of a scheduled report the day on which it is due, else the day on which the data was
 * read. So many weeks end with the last whole one
 * (they begin on Monday), so that both periods are equally long; what has come since is `running`.
 * @throws ConfigError for a period that had not begun when the data was read
 */
export function resolvePeriod(period: Period, asOf: LocalDate): Dates {
  const ended = { running: false, open: false }
  if (period.kind === 'range') {
    const { from, to } = period
    const days = daysBetween(from, to)
    return { ...ended, from, to, previousFrom: addDays(from, -days), span: named(days, 'day') }
  }
  const { unit } = period
  if (period.kind === 'last') {
    return {
      ...ended,
      previousFrom: startOf(unit, asOf, -2 * period.count),
      from: startOf(unit, asOf, -period.count),
      to: startOf(unit, asOf, 0),
      running: true,
      span: named(period.count, unit),
    }
  }
  const from = period.kind === 'this' ? startOf(unit, asOf, 0) : period.from
  const end = startOf(unit, from, 1)
  if (from > asOf && period.kind === 'named') {
    throw new ConfigError(`The period ${period.name} had not begun when the data was read, on ${asOf}.`, {
      next: 'Sync, or choose an earlier one.',
    })
  }
  if (end <= asOf)
    return { ...ended, from, to: end, previousFrom: startOf(unit, from, -1), span: named(1, unit) }
  const to = addDays(asOf, 1)
  const previousFrom = addDays(from, -daysBetween(from, to))
  return { ...ended, from, to, previousFrom, open: true, span: `this ${unit} so far` }
}

/** Whether the data reaches the end of a period; one that is not over has no end yet. */
export function isReached({ from, to, open }: Dates, timezone: string, asOf: Date): boolean {
  return open ? asOf > startOfDay(from, timezone) : asOf >= startOfDay(to, timezone)
}

/** The first day of the bucket that is `shift` away from the one of `date`. */
function startOf(unit: Unit, date: LocalDate, shift: number): LocalDate {
  if (unit === 'day') return addDays(date, shift)
  if (unit === 'week') return addDays(mondayOf(date), 7 * shift)
  const months = { month: 1, quarter: 3, year: 12 }[unit]
  const into = (Number(date.slice(5, 7)) - 1) % months
  return firstOfMonth(date, shift * months - into)
}

function named(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** The values every query can use as `$name`: the period as instants, the zone, and what was chosen. */
export function boundsOf(
  dates: Dates,
  chosen: Chosen,
  timezone: string,
  asOf: Date,
  coveredFrom: Date | null,
  accounts: readonly string[] | null = null,
): QueryParameters {
  const start = startOfDay(dates.from, timezone)
  // What was read is in reach up to its last millisecond; the ends are exclusive.
  const seen = new Date(asOf.getTime() + 1)
  // One that had not begun when the data was read has its whole length, and nothing in it.
  const end = dates.open && seen > start ? seen : startOfDay(dates.to, timezone)
  return {
    timezone,
    period_start: start,
    period_end: end,
    previous_start: previousStart(dates, start, end, timezone),
    // What started since the last whole bucket is in reach too.
    scope_end: dates.running && asOf >= end ? seen : end,
    as_of: asOf,
    covered_from: coveredFrom,
    teams: chosen.teams,
    severities: chosen.severities,
    dimensions: valuesOf(chosen.dimensions),
    accounts,
  }
}

/** Of a period that is not over: as long before its start as it has lasted. */
function previousStart({ open, previousFrom }: Dates, start: Date, end: Date, timezone: string): Date {
  return open ? new Date(2 * start.getTime() - end.getTime()) : startOfDay(previousFrom, timezone)
}

/** `service=checkout` for each value that is chosen, see `has_chosen`; null without any. */
function valuesOf(dimensions: Chosen['dimensions']): string[] | null {
  const chosen = [...dimensions].flatMap(([name, values]) => values.map((value) => `${name}=${value}`))
  return chosen.length > 0 ? chosen : null
}
