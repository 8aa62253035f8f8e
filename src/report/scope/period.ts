import { ConfigError } from '../../errors.ts'
import type { QueryParameters } from '../../warehouse/read/bind.ts'
import type { Period, Unit } from '../parse/parse-period.ts'
import { addDays, daysBetween, firstOfMonth, type LocalDate, mondayOf, startOfDay } from './local-date.ts'
import type { Chosen } from './report-filters.ts'

/** A period and the start of the previous one, as local dates. Ends are exclusive. */
export interface Dates {
  previousFrom: LocalDate
  from: LocalDate
  to: LocalDate
  /** Whether an unfinished week, month or other unit starts at `to`. */
  running: boolean
  /** Whether the period has yet to end. Then the previous period is cut to the length that has elapsed. */
  open: boolean
  span: string
}

/** @throws ConfigError for a named period, such as `2026-W12`, that starts after the local date `asOf` */
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
  const { count = 0 } = period.kind === 'this' ? period : {}
  const from = period.kind === 'this' ? startOf(unit, asOf, -count) : period.from
  const end = startOf(unit, from, count + 1)
  if (from > asOf && period.kind === 'named') {
    const message = `The period ${period.name} had not begun when the data was last read (${asOf}).`
    throw new ConfigError(message, { next: 'Sync, or choose an earlier period.' })
  }
  if (end <= asOf)
    return { ...ended, from, to: end, previousFrom: startOf(unit, from, -1), span: named(1, unit) }
  const to = addDays(asOf, 1)
  const previousFrom = addDays(from, -daysBetween(from, to))
  const span = count > 0 ? `${named(count, unit)} to now` : `this ${unit} so far`
  return { running: false, open: true, from, to, previousFrom, span }
}

/** Whether the data reaches the end of a period. An unfinished period only needs data after its start. */
export function isReached({ from, to, open }: Dates, timezone: string, asOf: Date): boolean {
  return open ? asOf > startOfDay(from, timezone) : asOf >= startOfDay(to, timezone)
}

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

/** Returns the parameters that every query can use as `$name`. */
export function boundsOf(
  dates: Dates,
  chosen: Chosen,
  timezone: string,
  asOf: Date,
  coveredFrom: Date | null,
  accounts: readonly string[] | null = null,
): QueryParameters {
  const start = startOfDay(dates.from, timezone)
  // The end is exclusive. With one more millisecond, it includes incidents at the very end of the data.
  const seen = new Date(asOf.getTime() + 1)
  // A period that starts after the end of the data keeps its full length and has no incidents.
  const end = dates.open && seen > start ? seen : startOfDay(dates.to, timezone)
  return {
    timezone,
    period_start: start,
    period_end: end,
    // If the period is not over, the previous period is as long as the part that has elapsed.
    previous_start: dates.open
      ? new Date(2 * start.getTime() - end.getTime())
      : startOfDay(dates.previousFrom, timezone),
    // Reports also show the current week, which is not over.
    scope_end: dates.running && asOf >= end ? seen : end,
    as_of: asOf,
    covered_from: coveredFrom,
    teams: chosen.teams,
    severities: chosen.severities,
    dimensions: valuesOf(chosen.dimensions),
    accounts,
  }
}

/** Returns `service=checkout` for each selected value, for the macro `has_chosen`. Null if none is selected. */
function valuesOf(dimensions: Chosen['dimensions']): string[] | null {
  const chosen = [...dimensions].flatMap(([name, values]) => values.map((value) => `${name}=${value}`))
  return chosen.length > 0 ? chosen : null
}
