import type { Cron } from './cron.ts'
import { offsetAt, type Stretch, stretchesOf } from './offsets.ts'

const DAY = 86_400_000
const HOUR = 3_600_000
/** The longest that an expression with a day in it can wait: 29 February on a weekday of its own. */
const DAYS_MAX = 41 * 366

/**
 * The next moment (Unix ms) after `after` at which the expression is due in the zone; null when it never is.
 *
 * Where clocks change, certain hours are due once and every hour in real time, as in Debian's cron:
 * - 02:30 in a night that goes from 02:00 to 03:00 is due at 03:00, the first moment after it;
 * - 02:30 in a night in which it comes twice is due the first time;
 * - an expression for every hour is due in both hours, and not in the one that is skipped.
 */
export function nextRun(cron: Cron, zone: string, after: number): number | null {
  const now = Math.floor(after / 1_000) * 1_000
  const local = now + offsetAt(zone, now)
  const today = local - (((local % DAY) + DAY) % DAY)
  for (let count = 0; count <= DAYS_MAX; count++) {
    const day = today + count * DAY
    if (count > 0 && !isDue(cron, day)) continue
    // The day after as well, because clocks can go back over midnight; at first also the day before, whose times may
    // have been put off into today.
    const first = firstOf(cron, zone, count > 0 ? [day, day + DAY] : [day - DAY, day, day + DAY], after)
    if (first !== null) return first
  }
  return null
}

function firstOf(cron: Cron, zone: string, days: readonly number[], after: number): number | null {
  const due = days.flatMap((day) => (isDue(cron, day) ? [firstOfDay(cron, zone, day, after)] : []))
  return due.reduce<number | null>(
    (first, one) => (one !== null && (first === null || one < first) ? one : first),
    null,
  )
}

function isDue(cron: Cron, day: number): boolean {
  const date = new Date(day)
  return cron.isDay(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate())
}

/** `day` is the midnight of a local date, as if it were UTC. */
function firstOfDay(cron: Cron, zone: string, day: number, after: number): number | null {
  // Zones lie between -12 and +14 hours, and a zone that changes sides skips a whole day.
  const stretches = stretchesOf(zone, day - 15 * HOUR, day + DAY + 39 * HOUR)
  let first: number | null = null
  for (const second of cron.seconds) {
    for (const instant of instantsOf(day + second * 1_000, stretches, cron.isHourly)) {
      if (instant > after && (first === null || instant < first)) first = instant
    }
  }
  return first
}

/** The instants at which clocks show a local time (given as if it were UTC), or what takes their place. */
function instantsOf(local: number, stretches: readonly Stretch[], isHourly: boolean): number[] {
  const shown = stretches.flatMap(({ start, offset }, index) => {
    const instant = local - offset
    const end = stretches[index + 1]?.start ?? Number.POSITIVE_INFINITY
    return instant >= start && instant < end ? [instant] : []
  })
  if (shown.length > 0) return isHourly ? shown : shown.slice(0, 1)
  const after = stretches.find(({ start, offset }) => start + offset > local)
  return isHourly || !after ? [] : [after.start]
}
