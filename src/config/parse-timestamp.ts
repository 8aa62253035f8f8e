import { z } from 'zod'
import { ConfigError } from '../errors.ts'
import { parseInstant } from '../settings/instant.ts'

const DAY_S = 86_400
const AGE = /^(\d+)\s*(d|w|m|y)$/
const DAYS = { d: 1, w: 7, m: 30, y: 365 } as const

/** Parses a snapshot number, or a time as in `parseMoment`. @throws ConfigError */
export function parseState(
  text: string | undefined,
  field: string,
  startOfDay?: StartOfDay,
): bigint | Date | undefined {
  if (text === undefined) return undefined
  if (/^\d+$/.test(text)) return BigInt(text)
  return new Date(parseMoment(text, Date.now() / 1_000, field, startOfDay) * 1_000)
}

type StartOfDay = (date: string) => Date

const utcDay: StartOfDay = (date) => new Date(date)

/**
 * Converts `2026-01-31`, `2026-01-31T08:00:00Z`, or an age such as `90d` or `12m` to Unix seconds.
 * @param startOfDay returns the start of a date (default: midnight UTC)
 * @throws ConfigError if the text is invalid or before 1970
 */
export function parseMoment(text: string, now: number, field: string, startOfDay = utcDay): number {
  const moment = momentOf(text, now, field, startOfDay)
  if (moment >= 0) return moment
  throw new ConfigError(`${field}: "${text}" is before 1970, the earliest time of the service.`, {
    next: 'Use a later date or a smaller age.',
  })
}

/** Schema of a date or an age in the configuration. `parseMoment` later converts it to a time. */
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
    throw new ConfigError(`${field}: invalid date or age "${text}".`, {
      next: 'Write 2026-01-31, 2026-01-31T08:00:00Z, or an age such as 90d, 26w, 12m, 1y.',
    })
  }
  const { ms, day, hasClock } = instant
  // East of Greenwich, 1 January 1970 starts before the epoch, so its start becomes 0.
  return Math.floor((!hasClock && ms >= 0 ? Math.max(0, startOfDay(day).getTime()) : ms) / 1_000)
}
