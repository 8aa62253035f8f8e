import { wallClock } from './wall-clock.ts'

/** Weekdays, 1 is Monday, and hours of the clock; what does not end after it begins goes over midnight. */
export interface Calendar {
  readonly days: readonly number[]
  readonly from: number
  readonly to: number
}

/** By which clock hours go, and the days on which none are. */
export interface Clock {
  readonly zone: string
  readonly holidays: readonly string[]
}

/** Whether the clock on the wall stands in these hours: asked of Intl, and not of the database. */
export function isWorked(moment: number, { days, from, to }: Calendar, { zone, holidays }: Clock): boolean {
  const { weekday, hour, minute, date } = wallClock(moment, zone)
  if (holidays.includes(date)) return false
  const time = hour + minute / 60
  const on = (day: number) => days.includes(day)
  if (from < to) return on(weekday) && time >= from && time < to
  return (time >= from && on(weekday)) || (time < to && on(((weekday + 5) % 7) + 1))
}

/** Seconds of these hours between two moments, by going from one quarter of an hour to the next. */
export function workedSeconds(from: number, to: number, hours: Calendar, clock: Clock): number {
  let sum = 0
  for (let moment = from; moment < to; ) {
    const next = Math.min(to, quarterAfter(moment))
    if (isWorked(moment, hours, clock)) sum += next - moment
    moment = next
  }
  return sum
}

/** Seconds on the clock until so many of these hours are over; what ends with a working day is over when the next begins. */
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
