import { localTime } from '../../render/format.ts'

export const dayMs = 86_400_000

/** A local calendar date such as `2026-03-01`. Dates can be compared as text. */
export type LocalDate = string

export function addDays(date: LocalDate, days: number): LocalDate {
  return textOf(Date.parse(date) + days * dayMs)
}

export function firstOfMonth(date: LocalDate, months: number): LocalDate {
  return textOf(Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1 + months, 1))
}

export function mondayOf(date: LocalDate): LocalDate {
  return addDays(date, -((new Date(date).getUTCDay() + 6) % 7))
}

export function daysBetween(from: LocalDate, to: LocalDate): number {
  return (Date.parse(to) - Date.parse(from)) / dayMs
}

/** Returns the start of a local day: midnight, or the first later time if clocks skip midnight. */
export function startOfDay(date: LocalDate, timezone: string): Date {
  let before = Date.parse(date) / 1000 - 16 * 3600
  let after = Date.parse(date) / 1000 + 16 * 3600
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (localTime(new Date(middle * 1000), timezone) >= date) after = middle
    else before = middle
  }
  return new Date(after * 1000)
}

function textOf(ms: number): LocalDate {
  return new Date(ms).toISOString().slice(0, 10)
}
