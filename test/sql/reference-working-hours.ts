import { wallClock } from './wall-clock.ts'

/** Weekdays (1 is Monday) and hours of the clock. If the end is not after the start, the hours cross midnight. */
export interface Calendar {
  readonly days: readonly number[]
  readonly from: number
  readonly to: number
}

/** The zone of working hours, and days on which nobody works. */
export interface Clock {
  readonly zone: string
  readonly holidays: readonly string[]
}

/** Whether a time is in these hours, by `Intl` instead of the database. */
export function isWorked(moment: number, { days, from, to }: Calendar, { zone, holidays }: Clock): boolean {
  const { weekday, hour, minute, date } = wallClock(moment, zone)
  if (holidays.includes(date)) return false
  const time = hour + minute / 60
  const on = (day: number) => days.includes(day)
  if (from < to) return on(weekday) && time >= from && time < to
  return (time >= from && on(weekday)) || (time < to && on(((weekday + 5) % 7) + 1))
}

/** Seconds of these hours between two times, computed in steps of a quarter of an hour. */
export function workedSeconds(from: number, to: number, hours: Calendar, clock: Clock): number {
  let sum = 0
  for (let moment = from; moment < to; ) {
    const next = Math.min(to, quarterAfter(moment))
    if (isWorked(moment, hours, clock)) sum += next - moment
    moment = next
  }
  return sum
}

/**
 * Returns the elapsed seconds until `target` working seconds are over. If they are over at the end of a working day,
 * returns the seconds until the next day starts.
 */
export function dueAfter(from: number, target: number, hours: Calendar, clock: Clock): number {
  let left = target
  for (let moment = from; ; moment = quarterAfter(moment)) {
    if (!isWorked(moment, hours, clock)) continue
    const lasts = quarterAfter(moment) - moment
    if (lasts > left) return moment + left - from
    left -= lasts
  }
}

const quarterAfter = (moment: number) => (Math.floor(moment / 900) + 1) * 900
