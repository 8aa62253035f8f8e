import { ConfigError } from '../errors.ts'
import { addDays, daysBetween, firstOfMonth, isLocalDate, type LocalDate, mondayOf } from './local-date.ts'

/** `13 weeks`, `90 days`, `6 months`, or the days from `from` up to, not including, `to`. */
export type Period = { unit: 'week' | 'day' | 'month'; count: number } | { from: LocalDate; to: LocalDate }

/** A period in local dates; every end is exclusive. */
export interface Dates {
  previousFrom: LocalDate
  from: LocalDate
  to: LocalDate
  /** The bucket that runs since `to`, when the period ends at the last whole one. */
  running: boolean
  span: string
}

const units = {
  w: 'week',
  week: 'week',
  weeks: 'week',
  d: 'day',
  day: 'day',
  days: 'day',
  month: 'month',
  months: 'month',
} as const

/** Reads a period as people write it; throws `ConfigError` for anything else. */
export function parsePeriod(text: string): Period {
  const relative = /^(\d{1,4})\s*([a-z]+)$/i.exec(text.trim())
  const unit = relative && units[relative[2]!.toLowerCase() as keyof typeof units]
  if (relative && unit && Number(relative[1]) > 0) return { unit, count: Number(relative[1]) }
  const [from = '', to = '', more] = text.trim().split('..')
  if (isLocalDate(from) && isLocalDate(to) && more === undefined) {
    if (from >= to) {
      throw new ConfigError(`The period ${text} is empty: it ends before it begins.`, {
        next: 'The end is exclusive: 2026-01-01..2026-02-01 is January.',
      })
    }
    return { from, to }
  }
  throw new ConfigError(`"${text}" is not a period.`, {
    next: 'Write for example 13 weeks, 4w, 90d, 6 months or 2026-01-01..2026-03-01 (the end is exclusive).',
  })
}

/**
 * The dates of a period, seen from the local day on which the data was read. A relative period ends with the last
 * whole bucket (weeks begin on Monday), so that both periods are equally long; what has come since is `running`.
 */
export function resolvePeriod(period: Period, asOf: LocalDate): Dates {
  if ('from' in period) {
    const days = daysBetween(period.from, period.to)
    return { ...period, previousFrom: addDays(period.from, -days), running: false, span: named(days, 'day') }
  }
  const { unit, count } = period
  const back = (times: number) => {
    if (unit === 'month') return firstOfMonth(asOf, -times)
    return unit === 'week' ? addDays(mondayOf(asOf), -7 * times) : addDays(asOf, -times)
  }
  return {
    previousFrom: back(2 * count),
    from: back(count),
    to: back(0),
    running: true,
    span: named(count, unit),
  }
}

function named(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
