import type { Config } from '../config/config.ts'
import { startOfDay } from '../report/scope/local-date.ts'

export const startOfDayIn =
  ({ timezone = 'UTC' }: Pick<Config, 'timezone'>) =>
  (date: string) =>
    startOfDay(date, timezone)
