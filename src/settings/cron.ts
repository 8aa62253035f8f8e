import { Cron as Croner } from 'croner'
import nodeCron from 'node-cron'
import { ConfigError } from '../errors.ts'

/** A parsed cron expression. */
export interface Cron {
  readonly text: string
  readonly timezone: string
  /**
   * Expressions for node-cron that together have the same due times. `0 8 1 * Mon` needs two expressions: one for the
   * first day of the month, one for Mondays.
   */
  readonly expressions: readonly string[]
  /**
   * First due time (Unix ms) after a moment, or null. If the clock skips 02:30 in spring, the job is due at 03:00. If
   * 02:30 occurs twice in autumn, the job is due the first time. Hourly jobs still run once in every real hour.
   */
  next(after: number): number | null
  /** Last due time (Unix ms) at or before a moment, or null. */
  last(before: number): number | null
}

/**
 * Parses a cron expression with five fields, or six with seconds first. Supports names, ranges, steps, `L`, `W`, `#`
 * and `@daily`. If an expression has a day of the month and a weekday, it is enough that one of them matches, as in
 * crontab(5).
 *
 * node-cron validates expressions and starts jobs. croner computes due times, because node-cron can only compute the
 * next time from now. node-cron also omits times that the clock skips, and runs hourly jobs only once in an hour that
 * the clock repeats.
 * @throws ConfigError naming the location of the expression
 */
export function parseCron(text: string, timezone: string, where: string): Cron {
  const { fields, errors } = nodeCron.validateDetailed(text)
  if (!fields) throw notATime(text, where, reasonOf(errors[0]!))
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
    // croner ignores fractions of a second, so this asks for times before the next second. It asks for two, because the
    // last of them can be after `before`.
    last: (before) =>
      croner
        .previousRuns(2, new Date(before + 1_000))
        .map((time) => time.getTime())
        .find((time) => time <= before) ?? null,
  }
}

const NAMES: Readonly<Record<string, string>> = {
  dayOfMonth: 'day of these months',
  dayOfWeek: 'day of the week',
}

type FieldError = ReturnType<typeof nodeCron.validateDetailed>['errors'][number]

function reasonOf({ field, value, message }: FieldError): string {
  return field === 'expression' ? message : `${value} is not a valid ${NAMES[field] ?? field}`
}

function notATime(text: string, where: string, reason: string): ConfigError {
  return new ConfigError(`${where}: invalid cron expression "${text}": ${reason}.`, {
    next: 'Use minute, hour, day of the month, month and weekday, such as "30 2 * * *" for 02:30 every day.',
  })
}

/**
 * Returns a field in croner's syntax: `*` if the field contains all values. croner would treat a list of all 24 hours
 * as fixed clock times, not as hourly.
 */
function starOr(field: readonly (number | string)[], all: number): string {
  return field.length === all ? '*' : field.join(',')
}
