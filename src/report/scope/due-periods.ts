import { localTime } from '../../render/format.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import { parseParameters, type RawParameters } from '../parse/parameters.ts'
import { dataEnd, emptyWarehouse } from './data-end.ts'
import type { LocalDate } from './local-date.ts'
import { isReached, resolvePeriod } from './period.ts'
import { chooseAccounts, pickZone } from './report-filters.ts'

export interface DuePeriod {
  readonly from: LocalDate
  /** The day after the last day of the period. */
  readonly to: LocalDate
  isComplete(): boolean
}

/** The returned function expects the due time in Unix ms. @throws ConfigError for invalid parameters */
export async function duePeriods(
  reader: Pick<Reader, 'session'>,
  given: RawParameters,
  defaultTimezone: string | undefined,
): Promise<(dueAt: number) => DuePeriod> {
  const session = await reader.session()
  try {
    const parameters = parseParameters(given)
    await chooseAccounts(session, parameters.accounts)
    const { asOf, zone } = await dataEnd(session)
    if (asOf === null) throw emptyWarehouse()
    const { timezone } = pickZone(parameters, defaultTimezone, zone)
    return (dueAt) => {
      const dates = resolvePeriod(parameters.period, localTime(new Date(dueAt), timezone).slice(0, 10))
      return { from: dates.from, to: dates.to, isComplete: () => isReached(dates, timezone, asOf) }
    }
  } finally {
    session.close()
  }
}
