import cron from 'node-cron'
import { ConfigError } from '../errors.ts'

/** A cron expression that was read: times of a day, and which days. */
export interface Cron {
  readonly text: string
  /** Seconds of a local day at which it is due, ascending. */
  readonly seconds: readonly number[]
  /** Every hour is meant, so it counts real time; otherwise certain hours of the clock are. */
  readonly isHourly: boolean
  /** Whether it is due on that day of the calendar; months count from 1. */
  isDay(year: number, month: number, day: number): boolean
}

/**
 * Reads a cron expression: five fields, or six with seconds first; names, ranges, steps, `L`, `W`, `#` and `@daily`.
 * Where both the day of the month and the day of the week are restricted, either will do, as in crontab(5).
 *
 * node-cron reads the expression and knows the calendar. When a time is due is worked out in `next-run.ts`: node-cron
 * 4.6 leaves out a night whose time the clock skips, and in the hour that comes twice it runs hourly jobs only once.
 * @throws ConfigError that names where the expression stands
 */
export function parseCron(text: string, where: string): Cron {
  const { fields, errors } = cron.validateDetailed(text)
  if (!fields) {
    throw new ConfigError(
      `${where}: "${text}" is not a time: ${errors[0]?.message ?? 'it cannot be read'}.`,
      {
        next: 'Write minute, hour, day of the month, month and day of the week, such as "30 2 * * *" for 02:30 every day.',
      },
    )
  }
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = fields
  const days = dayOfMonth.length < 31
  const weekdays = dayOfWeek.length < 7
  const matchers =
    days && weekdays
      ? [calendar(dayOfMonth, month, ['*']), calendar(['*'], month, dayOfWeek)]
      : [calendar(dayOfMonth, month, dayOfWeek)]
  return {
    text,
    seconds: hour
      .flatMap((h) => minute.flatMap((m) => second.map((s) => h * 3_600 + m * 60 + s)))
      .sort((a, b) => a - b),
    isHourly: hour.length === 24,
    isDay: (year, ofYear, day) => matchers.some((matches) => matches(Date.UTC(year, ofYear - 1, day))),
  }
}

type Field = readonly (number | string)[]

/** Whether midnight UTC of a day matches, asked of node-cron: in UTC no clock is ever changed. */
function calendar(day: Field, month: Field, weekday: Field): (midnight: number) => boolean {
  const task = cron.createTask(`0 0 0 ${day.join(',')} ${month.join(',')} ${weekday.join(',')}`, () => {}, {
    timezone: 'UTC',
  })
  // It was never started; this only takes it off node-cron's list.
  task.destroy()
  return (midnight) => task.match(new Date(midnight))
}
