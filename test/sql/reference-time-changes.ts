import type { World } from '../support/world.ts'
import { durationChange, type Observation } from './reference-duration-changes.ts'
import { cube, isIn, type Rows } from './reference-groups.ts'
import { type Reference, referenceAsOf, referenceTimes } from './reference-times.ts'

const week = 7 * 86_400

export function timeChanges(world: World, from: number, to: number, previous = from - (to - from)): Rows {
  const all = referenceTimes(world).filter(({ start }) => isIn(start, { from: previous, to }))
  const asOf = referenceAsOf(world)?.as_of_at ?? Number.NaN
  const placeOf = (start: number, first: number, last: number) =>
    Math.max(
      0,
      Math.min(
        Math.floor((start - first) / week),
        Math.floor((Math.round((last - first) / 86_400) + 3) / 7) - 1,
      ),
    )
  const measures: [string, (one: Reference) => unknown][] = [
    ['time_to_ack', ({ times }) => times.time_to_ack_s],
    ['time_to_close_handled', ({ times }) => (times.is_handled_by_people ? times.time_to_close_s : null)],
    ['time_to_close', ({ times }) => times.time_to_close_s],
  ]
  return measures.flatMap(([measure, secondsOf]) =>
    cube(
      all.flatMap((one) => {
        if (measure !== 'time_to_close' && one.muted) return []
        const start = one.start!
        const isNow = start >= from
        const watched = (isNow ? asOf : asOf - to + from) - start
        if (!(watched >= 0)) return []
        const seconds = secondsOf(one)
        const isSeen = typeof seconds === 'number' && seconds <= watched
        const closed = one.times.time_to_close_s
        const isOpen = one.times.is_open === true || (typeof closed === 'number' && closed > watched)
        if (!isSeen && !isOpen) return []
        const observation: Observation = {
          isNow,
          place: isNow ? placeOf(start, from, to) : placeOf(start, previous, from),
          seconds: isSeen ? seconds : Number.POSITIVE_INFINITY,
        }
        return [{ severity: one.row.incident_severity, team: one.team, observation }]
      }),
      (rows) => {
        const {
          pairs: _,
          verdict,
          ...change
        } = durationChange(
          rows.map(({ observation }) => observation),
          Number.isFinite,
        )
        return {
          measure,
          ...change,
          verdict: verdict.replace('shorter', 'faster').replace('longer', 'slower'),
        }
      },
    ),
  )
}
