import type { Config } from '../config/config.ts'
import { startOfDay } from '../report/scope/local-date.ts'

/** The zone whose days the dates of options name. */
export const zoneOf = ({ timezone }: Pick<Config, 'timezone'>) => timezone ?? 'UTC'

/** When a day begins there. */
export const startOfDayIn = (config: Pick<Config, 'timezone'>) => (date: string) =>
  startOfDay(date, zoneOf(config))
