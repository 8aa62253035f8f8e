import { Cron as Croner } from 'croner'
import nodeCron from 'node-cron'
import { ConfigError } from '../errors.ts'

export interface Cron {
  readonly text: string
  readonly timezone: string
  /**
   * Equivalent expressions for node-cron. There are two expressions if it is enough that either the day of the month or
   * the weekday matches.
   */
  readonly expressions: readonly string[]
  /**
   * First due time (Unix ms) after a moment, or null. When clocks change, a skipped 02:30 is due at 03:00, and a repeated
   * 02:30 is due only the first time. Hourly jobs run every hour of real time.
   */
  next(after: number): number | null
  /** Last due time (Unix ms) at or before a moment, or null. */
  last(before: number): number | null
}

/**
 * Parses a cron expression with five fields, or six with seconds first. Supports names, ranges, steps, `L`, `W`, `#`
 * and `@daily`. If both the day of the month and the weekday are restricted, it is enough that one of them matches, as
 * in crontab(5).
 *
 * node-cron validates and schedules. croner computes due times, because node-cron only computes the next time from now,
 * omits times that the clock skips, and runs hourly jobs once in a repeated hour.
 * @throws ConfigError naming the location of the expression
 */
export function parseCron(text: string, timezone: string, where: string): Cron {
  const { fields, errors } = nodeCron.validateDetailed(text)
  if (!fields)
    throw notATime(text, where, errors[0] === undefined ? 'it cannot be read' : reasonOf(errors[0]))
  const { second, minute, month } = fields
  const hour = starOr(fields.hour, 24)
  const day = starOr(fields.dayOfMonth, 31)
  const weekday = starOr(fields.dayOfWeek, 7)
  const on = (someDay: string, someWeekday: string) =>
    `${second} ${minute} ${hour} ${someDay} ${month} ${someWeekday}`
  let croner: Croner
  try {
    croner = new Croner(on(day, weekday), { timezone, fixedTimeRule: 'no-wildcard' })
  } catch (error) {
    throw notATime(text, where, (error as Error).message)
  }
  return {
    text,
    timezone,
    expressions: day === '*' || weekday === '*' ? [on(day, weekday)] : [on(day, '*'), on('*', weekday)],
    next: (after) => croner.nextRun(new Date(after))?.getTime() ?? null,
    // croner ignores fractions of a second, so this asks for the last two runs before the next second. At least one of
    // them is not after `before`.
    last: (before) =>
      croner
        .previousRuns(2, new Date(before + 1_000))
        .map((time) => time.getTime())
        .find((time) => time <= before) ?? null,
  }
}

const NAMES: Readonly<Record<string, string>> = {
  second: 'second',
  minute: 'minute',
  hour: 'hour',
  dayOfMonth: 'day of these months',
  month: 'month',
  dayOfWeek: 'day of the week',
}

function reasonOf({
  field,
  value,
  message,
}: ReturnType<typeof nodeCron.validateDetailed>['errors'][number]): string {
  return NAMES[field] === undefined ? message : `${value} is not a valid ${NAMES[field]}`
}

function notATime(text: string, where: string, reason: string): ConfigError {
  return new ConfigError(`${where}: invalid cron expression "${text}": ${reason}.`, {
    next: 'Use minute, hour, day of the month, month and weekday, such as "30 2 * * *" for 02:30 every day.',
  })
}

/**
 * Turns an hour field that contains every hour into `*`. croner treats any other hour field as fixed hours of the
 * clock.
 */
function starOr(field: readonly (number | string)[], all: number): string {
  return field.length === all ? '*' : field.join(',')
}
