import type { Config } from '../config/config.ts'
import { startOfDay } from '../report/scope/local-date.ts'

export const zoneOf = ({ timezone }: Pick<Config, 'timezone'>) => timezone ?? 'UTC'

export const startOfDayIn = (config: Pick<Config, 'timezone'>) => (date: string) =>
  startOfDay(date, zoneOf(config))
