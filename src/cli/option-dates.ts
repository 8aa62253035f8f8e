import type { Config } from '../config/config.ts'
import { startOfDay } from '../report/scope/local-date.ts'

/** Returns a function that computes the start of a day in the configured time zone. */
export const startOfDayIn =
  ({ timezone = 'UTC' }: Pick<Config, 'timezone'>) =>
  (date: string) =>
    startOfDay(date, timezone)
