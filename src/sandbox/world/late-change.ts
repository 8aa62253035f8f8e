import { pick } from '../random.ts'
import { type Course, lastClose, NEVER, type Scene } from './courses.ts'

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

/** A late change comes so many days after the incident began: never within a month. */
const SOONEST_DAYS = 35
const LATEST_DAYS = 300

/**
 * What is different in the course of an incident that is among the `share` (0 to 1) with a change long after the close:
 * reopened and closed again, another severity, a written cause, a post-mortem, deletion.
 */
export function lateChange(course: Course, scene: Scene, share: number): Course {
  const { seed, index, start, draw } = scene
  if (draw(95) >= share) return {}
  const closed = lastClose(course)
  if (closed === NEVER) return {}
  const days = SOONEST_DAYS + draw(96) * (LATEST_DAYS - SOONEST_DAYS)
  const at = Math.max(start + Math.ceil(days * DAY), closed + DAY)
  // What would have happened after the change does not.
  const later = Object.entries(course).filter(([, moment]) => moment > at)
  const change = pick(CHANGES, seed, index, 97)
  return { ...Object.fromEntries(later.map(([name]) => [name, NEVER])), ...change(at, scene) }
}

type Change = (at: number, scene: Scene) => Course

/** There is room for one reopening: one that was there before is lost. */
const reopen: Change = (at, { delay }) => {
  const ackedAgain = at + delay(98, 20 * MINUTE, 1)
  return { reopened: at, ackedAgain, closedAgain: ackedAgain + delay(99, 30 * HOUR, 1.2) }
}

const CHANGES: readonly Change[] = [
  reopen,
  reopen,
  (at, { severity }) => ({ edited: at, editedSeverity: severity === 0 ? 1 : severity - 1 }),
  (at) => ({ explained: at }),
  (at) => ({ linked: at }),
  (at) => ({ deleted: at, purged: at + 40 * DAY }),
]
