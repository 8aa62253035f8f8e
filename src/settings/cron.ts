import { Cron as Croner } from 'croner'
import nodeCron from 'node-cron'
import { ConfigError } from '../errors.ts'

export interface Cron {
  readonly text: string
  readonly timezone: string
  /** `0 8 1 * Mon` is due on the 1st and on Mondays, as in crontab(5). node-cron needs two expressions for it. */
  readonly expressions: readonly string[]
  /** First due time in Unix ms. In spring, a skipped 02:30 is due at 03:00. In autumn, a repeated 02:30 is due once. */
  next(after: number): number | null
  /** Last due time in Unix ms, at or before a moment. */
  last(before: number): number | null
}

/**
 * Parses a cron expression with five fields, or six with seconds first. Supports names, ranges, steps, `L`, `W`, `#`
 * and `@daily`.
 * node-cron validates expressions and starts jobs. croner computes due times, because node-cron computes only the next
 * time from now, and omits times that the clock skips.
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
    // croner drops fractions of a second. Of the last two times before the next second, one can be after `before`.
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

/** Returns `*` if a field contains all values, because croner treats a list of all 24 hours as fixed clock times. */
function starOr(field: readonly (number | string)[], all: number): string {
  return field.length === all ? '*' : field.join(',')
}
