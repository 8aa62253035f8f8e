const formats = new Map<string, Intl.DateTimeFormat>()
const known = new Map<string, Wall>()

/** A local time. Weekday 1 is Monday, and `date` has the form 2024-03-31. */
export interface Wall {
  weekday: number
  hour: number
  minute: number
  date: string
}

/** The local time of Unix seconds, by `Intl` instead of the database. */
export function wallClock(at: number, zone: string): Wall {
  // Since 1972 the offset of every zone is a multiple of a quarter of an hour.
  const quarter = Math.floor(at / 900)
  const key = `${zone}/${quarter}`
  const hit = known.get(key)
  if (hit) return hit
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    })
    formats.set(zone, format)
  }
  const parts = Object.fromEntries(
    format.formatToParts(quarter * 900_000).map(({ type, value }) => [type, value]),
  )
  const date = `${parts.year}-${parts.month}-${parts.day}`
  const weekday = ((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7) + 1
  const wall = { weekday, hour: Number(parts.hour), minute: Number(parts.minute), date }
  known.set(key, wall)
  return wall
}

const DAY = 86_400
/** A local date as the Unix seconds of its midnight in UTC. */
export const dayOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / 1000
const dateOf = (day: number) => new Date(day * 1000).toISOString().slice(0, 10)

/** The first day of the local day, week (from Monday) or month of a time. */
export function bucketOf(at: number, bucket: string, zone: string): number {
  const { date, weekday } = wallClock(at, zone)
  if (bucket === 'month') return dayOf(`${date.slice(0, 8)}01`)
  return dayOf(date) - (bucket === 'week' ? (weekday - 1) * DAY : 0)
}

export function bucketAfter(day: number, bucket: string): number {
  if (bucket !== 'month') return day + (bucket === 'week' ? 7 : 1) * DAY
  const date = new Date(day * 1000)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / 1000
}

/** The start of a local day, found in steps of a quarter of an hour. */
export function midnight(day: number, zone: string): number {
  const date = dateOf(day)
  for (let at = day - 15 * 3600; at <= day + 15 * 3600; at += 900) {
    if (wallClock(at, zone).date === date) return at
  }
  throw new Error(`${date} does not exist in ${zone}`)
}
