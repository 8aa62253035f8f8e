import type { Parameters as Bound } from '../warehouse/reader.ts'
import { startOfDay } from './local-date.ts'
import type { Parameters } from './parameters.ts'
import type { Dates } from './period.ts'

/** The values every query can use as `$name`: the period as instants, the zone, and what was chosen. */
export function boundsOf(
  dates: Dates,
  parameters: Parameters,
  timezone: string,
  asOf: Date,
  coveredFrom: Date | null,
  accounts: readonly string[] | null = null,
): Bound {
  const start = startOfDay(dates.from, timezone)
  // What was read is in reach up to its last millisecond; the ends are exclusive.
  const seen = new Date(asOf.getTime() + 1)
  const end = dates.open ? seen : startOfDay(dates.to, timezone)
  return {
    timezone,
    period_start: start,
    period_end: end,
    previous_start: previousStart(dates, start, end, timezone),
    // What started since the last whole bucket is in reach too.
    scope_end: dates.running && asOf >= end ? seen : end,
    as_of: asOf,
    covered_from: coveredFrom,
    teams: parameters.teams,
    severities: parameters.severities,
    accounts,
  }
}

/** Of a period that is not over: as long before its start as it has lasted. */
function previousStart({ open, previousFrom }: Dates, start: Date, end: Date, timezone: string): Date {
  return open ? new Date(2 * start.getTime() - end.getTime()) : startOfDay(previousFrom, timezone)
}
