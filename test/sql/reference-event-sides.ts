import type { World } from '../support/world.ts'
import type { Beside } from './reference-events.ts'
import { type Reference, referenceAsOf, referenceTimes } from './reference-times.ts'
import { dayOf, midnight } from './wall-clock.ts'

/** Independent computation of the incidents, teams and weeks that event_changes compares. */

const WEEK = 7 * 86_400

export interface Happened {
  readonly name: string
  readonly date: string
  readonly teams?: readonly string[] | undefined
}

interface Placed {
  readonly one: Reference
  readonly isTouched: boolean
  readonly week: number
  /** Follow-up in seconds, which is equally long after the end of each group of weeks. */
  readonly watched: number
}

/** The incidents in the weeks around an event. @param covered start of the read data */
export function besideEvent(
  world: World,
  events: readonly Happened[],
  { name, timezone, covered }: { name: string; timezone: string; covered: number },
) {
  const asOf = referenceAsOf(world)!.as_of_at!
  const startOf = ({ date }: Happened) => midnight(dayOf(date), timezone)
  const event = events.find((one) => one.name === name)!
  const start = startOf(event)
  const length = Math.max(0, Math.min(13, Math.floor((asOf - start) / WEEK)))
  const earliest = Math.min(Math.floor((start - covered) / WEEK), length + 12)
  const [from, to] = [start - earliest * WEEK, start + length * WEEK]
  const others = events.filter((one) => one !== event && startOf(one) >= from && startOf(one) < to)
  const isOther = (team: string) =>
    !team.startsWith('(') && !others.some(({ teams }) => teams?.includes(team) ?? false)
  const placed = referenceTimes(world).flatMap((one): Placed[] => {
    if (one.start === undefined || one.start < from || one.start >= to) return []
    const isTouched = event.teams?.includes(one.team) ?? true
    if (!isTouched && !isOther(one.team)) return []
    const week = Math.floor((one.start - start) / WEEK)
    const end = week >= 0 ? to : start - Math.floor((-1 - week) / length) * length * WEEK
    return [{ one, isTouched, week, watched: end + (asOf - to) - one.start }]
  })
  return { placed, length, earliest }
}

export function durationsBeside(placed: readonly Placed[], column: 'time_to_ack_s' | 'time_to_resolve_s') {
  return placed.flatMap(({ one, isTouched, week, watched }): Beside[] => {
    if (one.muted || watched < 0) return []
    const { [column]: seconds, time_to_close_s: closed } = one.times as Record<string, number | null>
    const isOpen = seconds == null || seconds > watched
    const wasOpen = one.open || (closed != null && closed > watched)
    if (isOpen && !wasOpen) return []
    return [{ team: one.team, isTouched, week, seconds: isOpen ? watched : seconds, isOpen }]
  })
}

export function countsBeside({ placed, length, earliest }: ReturnType<typeof besideEvent>) {
  return Array.from({ length: earliest + length }, (_, place) => {
    const week = place - earliest
    const own = placed.filter((one) => one.week === week)
    const touched = own.filter(({ isTouched }) => isTouched).length
    return [week, touched, own.length - touched] as const
  })
}
