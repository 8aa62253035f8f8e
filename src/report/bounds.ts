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
): Bound {
  const end = startOfDay(dates.to, timezone)
  return {
    timezone,
    period_start: startOfDay(dates.from, timezone),
    period_end: end,
    previous_start: startOfDay(dates.previousFrom, timezone),
    // What started since the last whole bucket is in reach too; one millisecond later, since the end is exclusive.
    scope_end: dates.running && asOf >= end ? new Date(asOf.getTime() + 1) : end,
    as_of: asOf,
    covered_from: coveredFrom,
    teams: parameters.teams,
    severities: parameters.severities,
  }
}
