import type { Config } from '../config/config.ts'
import { startOfDay } from '../report/scope/local-date.ts'

export const zoneOf = ({ timezone }: Pick<Config, 'timezone'>) => timezone ?? 'UTC'

/** Returns the start of a day in that zone. */
export const startOfDayIn = (config: Pick<Config, 'timezone'>) => (date: string) =>
  startOfDay(date, zoneOf(config))
