import type { World } from '../support/world.ts'
import { durationChange, type Observation } from './reference-duration-changes.ts'
import { cube, type Rows } from './reference-groups.ts'
import { type Reference, referenceAsOf, referenceTimes } from './reference-times.ts'

const week = 7 * 86_400

/**
 * Returns a function that maps a start to its week and its follow-up in seconds, or to null outside the compared weeks.
 */
function places(world: World, from: number, to: number, previous: number) {
  const asOf = referenceAsOf(world)?.as_of_at ?? Number.NaN
  const since = knownSince(world)
  const reach = since === null ? 0 : Math.max(0, Math.min(12, Math.floor((previous - since) / week)))
  const weeks = (first: number, last: number) =>
    Math.max(1, Math.floor((Math.round((last - first) / 86_400) + 3) / 7))
  const placeOf = (start: number, first: number, last: number) =>
    Math.max(0, Math.min(Math.floor((start - first) / week), weeks(first, last) - 1))
  return (start: number) => {
    const back = Math.floor((previous - start - 1e-6) / week)
    if (!(start < to) || back >= reach) return null
    const watched = (end: number) => asOf - to + end - start
    if (start >= from) return { isNow: true, place: placeOf(start, from, to), watched: watched(to) }
    if (start >= previous)
      return { isNow: false, place: placeOf(start, previous, from), watched: watched(from) }
    const before = weeks(previous, from)
    const end = previous - week * before * Math.floor(back / before)
    return { isNow: false, place: -1 - back, watched: watched(end) }
  }
}

export function timeChanges(world: World, from: number, to: number, previous = from - (to - from)): Rows {
  const all = referenceTimes(world).filter(({ start }) => start !== undefined)
  const placed = places(world, from, to, previous)
  const measures: [string, (one: Reference) => unknown][] = [
    ['time_to_ack', ({ times }) => times.time_to_ack_s],
    ['time_to_close_handled', ({ times }) => (times.is_handled_by_people ? times.time_to_close_s : null)],
    ['time_to_close', ({ times }) => times.time_to_close_s],
  ]
  return measures.flatMap(([measure, secondsOf]) =>
    cube(
      all.flatMap((one) => {
        if (measure !== 'time_to_close' && one.muted) return []
        const at = placed(one.start!)
        if (at === null || !(at.watched >= 0)) return []
        const { isNow, place, watched } = at
        const seconds = secondsOf(one)
        const isSeen = typeof seconds === 'number' && seconds <= watched
        const closed = one.times.time_to_close_s
        const isOpen = one.times.is_open === true || (typeof closed === 'number' && closed > watched)
        if (!isSeen && !isOpen) return []
        const observation: Observation = {
          ...{ isNow, place },
          seconds: isSeen ? seconds : watched,
          isOpen: !isSeen,
        }
        return [{ severity: one.row.incident_severity, team: one.team, observation }]
      }),
      (rows) => {
        const found = durationChange(
          rows.map(({ observation }) => observation),
          ({ isOpen }) => !isOpen,
        )
        const { n, n_before, median_s, median_before_s, ratio, ratio_low, ratio_high, p } = found
        const verdict = found.verdict.replace('shorter', 'faster').replace('longer', 'slower')
        return {
          ...{ measure, n, n_before, median_s, median_before_s },
          ...{ ratio, ratio_low, ratio_high, p, verdict },
        }
      },
    ),
  )
}

/**
 * Returns the start of the known data. If the gap before the first incident is too long for chance, the data starts
 * shortly before that incident.
 */
export function knownSince(world: World): number | null {
  const starts = world.incidents
    .filter((row) => !row.deleted_at && !row.vanished_at && row.start_time)
    .map(({ start_time }) => start_time)
  const windows = world.windows
    .filter((one) => one.resource === 'incidents' && one.state === 'done')
    .flatMap((one) => one.window_start ?? [])
  const first = starts.length > 0 ? Math.min(...starts) : null
  const read = windows.length > 0 ? Math.min(...windows) : null
  const asOf = referenceAsOf(world)?.as_of_at
  if (first !== null && read !== null && typeof asOf === 'number') {
    const days = new Set(starts.map((start) => Math.floor(start / 86_400))).size
    const gap = Math.max(86_400, (asOf - first) / days)
    if (first - read > Math.max(7 * 86_400, 5 * gap)) return first - gap
  }
  return read ?? first
}
