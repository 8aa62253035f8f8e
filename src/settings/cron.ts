import { Cron as Croner } from 'croner'
import nodeCron from 'node-cron'
import { ConfigError } from '../errors.ts'

/** A cron expression in a time zone. */
export interface Cron {
  readonly text: string
  readonly timezone: string
  /** The same in numbers, for node-cron; two where either of two kinds of days will do. */
  readonly expressions: readonly string[]
  /**
   * The first due time (Unix ms) after a moment; null when there is none. Where clocks change, certain hours are due once,
   * and every hour in real time: 02:30 in a night without it is due at 03:00, in a night that has it twice the first time.
   */
  next(after: number): number | null
  /** The last due time (Unix ms) up to a moment; null when there was none. */
  last(before: number): number | null
}

/**
 * Reads a cron expression: five fields, or six with seconds first; names, ranges, steps, `L`, `W`, `#` and `@daily`.
 * Where both the day of the month and the day of the week are restricted, either will do, as in crontab(5).
 *
 * node-cron reads it and keeps the time. When it was due is asked of croner: node-cron knows the next time from now only,
 * leaves out times that the clock skips, and runs hourly jobs once in the hour that comes twice.
 * @throws ConfigError that names where the expression stands
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
    // It tells those before a second, and of two one is not after that moment.
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
  dayOfMonth: 'day of such a month',
  month: 'month',
  dayOfWeek: 'day of the week',
}

/** What node-cron says of a field, in words of ours. */
function reasonOf({
  field,
  value,
  message,
}: ReturnType<typeof nodeCron.validateDetailed>['errors'][number]): string {
  return NAMES[field] === undefined ? message : `${value} is no ${NAMES[field]}`
}

function notATime(text: string, where: string, reason: string): ConfigError {
  return new ConfigError(`${where}: "${text}" is not a time: ${reason}.`, {
    next: 'Write minute, hour, day of the month, month and day of the week, such as "30 2 * * *" for 02:30 every day.',
  })
}

/** As croner needs to see it: it takes hours that are no `*` for certain hours of the clock. */
function starOr(field: readonly (number | string)[], all: number): string {
  return field.length === all ? '*' : field.join(',')
}
