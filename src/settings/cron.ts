import { Cron as Croner } from 'croner'
import nodeCron from 'node-cron'
import { ConfigError } from '../errors.ts'

/** A parsed cron expression. */
export interface Cron {
  readonly text: string
  readonly timezone: string
  /** The same times for node-cron. `0 8 1 * Mon` needs two expressions: one for the first day, one for Mondays. */
  readonly expressions: readonly string[]
  /**
   * First due time (Unix ms) after a moment, or null. If the clock skips 02:30 in spring, the job is due at 03:00. If
   * 02:30 occurs twice in autumn, the job is due the first time. Hourly jobs run every hour of real time.
   */
  next(after: number): number | null
  /** Last due time (Unix ms) at or before a moment, or null. */
  last(before: number): number | null
}

/**
 * Parses a cron expression with five fields, or six with seconds first. Supports names, ranges, steps, `L`, `W`, `#`
 * and `@daily`. If an expression has a day of the month and a weekday, one of them must match, as in crontab(5).
 *
 * node-cron validates expressions and starts jobs. croner computes due times. node-cron cannot, because it computes only
 * the next time from now, omits times that the clock skips, and runs hourly jobs once in a repeated hour.
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
    // croner ignores fractions of a second. This asks for the last two due times before the next second, because the
    // last one can be after `before`.
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

/** Returns a field for croner: `*` for all values. croner treats a list of all 24 hours as fixed times of the clock. */
function starOr(field: readonly (number | string)[], all: number): string {
  return field.length === all ? '*' : field.join(',')
}
