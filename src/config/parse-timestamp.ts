import { z } from 'zod'
import { ConfigError } from '../errors.ts'
import { parseInstant } from '../settings/instant.ts'

const DAY_S = 86_400
const AGE = /^(\d+)\s*(d|w|m|y)$/
const DAYS = { d: 1, w: 7, m: 30, y: 365 } as const

/** A former state of a lake: its number, or a moment. @throws ConfigError when it is neither */
export function parseState(
  text: string | undefined,
  field: string,
  startOfDay?: StartOfDay,
): bigint | Date | undefined {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return BigInt(text)
  return new Date(parseMoment(text, Date.now() / 1_000, field, startOfDay) * 1_000)
}

/** When a day begins, `2026-01-31`. */
type StartOfDay = (date: string) => Date

const utcDay: StartOfDay = (date) => new Date(date)

/**
 * A moment in Unix seconds: a date (`2026-01-31`, the beginning of that day), a time with its zone
 * (`2026-01-31T08:00:00Z`) or an age before `now` such as `90d`, `26w`, `12m`, `1y`.
 * @param startOfDay when a day begins; at midnight UTC unless given
 * @throws ConfigError when it is none of them, or before 1970
 */
export function parseMoment(text: string, now: number, field: string, startOfDay = utcDay): number {
  const moment = momentOf(text, now, field, startOfDay)
  if (moment >= 0) return moment
  throw new ConfigError(`${field}: "${text}" lies before 1970, where the service's time begins.`, {
    next: 'Give a later date, or a smaller age.',
  })
}

/** A field that holds a moment, as written: an age counts from when it is read. */
export const moment = z.string().refine(
  (text) => {
    try {
      return momentOf(text, 0, '', utcDay) < Infinity
    } catch {
      return false
    }
  },
  { error: 'expected a date such as 2026-01-31, or an age such as 90d, 26w, 12m, 1y' },
)

function momentOf(text: string, now: number, field: string, startOfDay: StartOfDay): number {
  const [, count, unit] = AGE.exec(text.trim()) ?? []
  if (count && unit) return now - Number(count) * DAYS[unit as keyof typeof DAYS] * DAY_S
  const instant = parseInstant(text)
  if (instant === undefined || instant.hasClock !== instant.hasZone) {
    throw new ConfigError(`${field}: "${text}" is neither a date nor an age.`, {
      next: 'Write 2026-01-31, 2026-01-31T08:00:00Z, or an age such as 90d, 26w, 12m, 1y.',
    })
  }
  const { ms, day, hasClock } = instant
  // East of Greenwich the first day of the service's time begins before it.
  return Math.floor((!hasClock && ms >= 0 ? Math.max(0, startOfDay(day).getTime()) : ms) / 1_000)
}
