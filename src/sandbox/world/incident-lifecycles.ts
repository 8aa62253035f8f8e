import { pick } from '../random.ts'

/** Number of incidents per 1,000 with each outcome. */
const OUTCOMES = {
  handled: 430,
  healed: 355,
  handUnacked: 50,
  timedOut: 40,
  manual: 30,
  merged: 25,
  reopened: 25,
  snoozed: 20,
  unacked: 15,
  stuck: 10,
} as const
export type Outcome = keyof typeof OUTCOMES
const OUTCOME_BY_DRAW = byDraw(OUTCOMES)

/** Returns a list to draw from, in which each outcome occurs as often as its share says. */
export function byDraw(shares: Readonly<Record<Outcome, number>>): readonly Outcome[] {
  const outcomes = Object.entries(shares) as [Outcome, number][]
  return outcomes.flatMap(([outcome, share]) => Array<Outcome>(share).fill(outcome))
}

export function outcomeOf(seed: number, index: number): Outcome {
  return pick(OUTCOME_BY_DRAW, seed, index, 43)
}

export const NEVER = Infinity

/** Times of the events of an incident, Unix seconds. */
export interface Moments {
  acked: number
  unacked: number
  reacked: number
  snoozed: number
  recovered: number
  closed: number
  reopened: number
  ackedAgain: number
  closedAgain: number
  edited: number
  explained: number
  linked: number
  deleted: number
  /** The time at which the incident is removed from the list. */
  purged: number
}

/** Events of an incident. An omitted event never happens. `closer` is a member number. */
export type Course = Partial<Moments & { closer: number; editedSeverity: number }>

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

export interface Scene {
  readonly seed: number
  readonly index: number
  readonly start: number
  readonly created: number
  readonly severity: number
  /** Number of the member who works on the incident. */
  readonly acker: number
  draw(salt: number): number
  /** Returns log-normal integer seconds. */
  delay(salt: number, median: number, spread: number): number
  /** Median number of seconds until an incident with the outcome `healed` resolves by itself. */
  readonly healed: number
  acked(): number
  /** Returns the seconds from the acknowledgement to the close. */
  work(): number
}

export function courseOf(outcome: Outcome, scene: Scene): Course {
  const course = COURSES[outcome](scene)
  return Object.assign(course, aftermath(scene, course))
}

/**
 * Adjusts the end of an incident whose alerts recover before its close. Their recovery closes the incident
 * (`closesItself`), or a person closes it later.
 */
export function closedBy(course: Course, { created, acker, draw }: Scene, closesItself: boolean): Course {
  const { recovered = NEVER, closed = NEVER, closer = 0 } = course
  if (recovered > closed || closed === NEVER) return {}
  if (closesItself) return { recovered: closed, closer: 0 }
  return closer === 0 ? { recovered: created + Math.ceil((closed - created) * draw(81)), closer: acker } : {}
}

export function lastClose({ closed, reopened = NEVER, closedAgain }: Course): number {
  return (reopened === NEVER ? closed : closedAgain) ?? NEVER
}

const COURSES: Record<Outcome, (scene: Scene) => Course> = {
  handled,
  healed({ created, delay, healed }) {
    const recovered = created + delay(60, healed, 1.1)
    return { recovered, closed: recovered }
  },
  handUnacked({ created, draw, work, acker }) {
    const closed = created + work()
    const recovered = draw(61) < 0.7 ? created + Math.ceil((closed - created) * draw(62)) : NEVER
    return { closed, closer: acker, recovered }
  },
  timedOut: ({ created, draw }) => ({ closed: created + (draw(61) < 0.6 ? DAY : 3 * DAY) }),
  manual({ acked, work, acker }) {
    const at = acked()
    return { acked: at, closed: at + work(), closer: acker }
  },
  merged: ({ created, delay, acker }) => ({ closed: created + delay(60, 9 * MINUTE, 0.8), closer: acker }),
  reopened(scene) {
    const { draw, delay, acker } = scene
    const { acked, closed, recovered } = handled(scene)
    const reopened = closed + Math.ceil(20 * MINUTE + draw(63) * 3 * DAY)
    const ackedAgain = reopened + delay(64, 20 * MINUTE, 1)
    const closedAgain = ackedAgain + delay(65, 3 * HOUR, 1.2)
    // The alerts fire again, and recover with the second close.
    const first = { acked, closed, recovered: Math.min(recovered, closed), closer: acker }
    return { ...first, reopened, ackedAgain, closedAgain }
  },
  snoozed({ draw, delay, acked, work, acker }) {
    const at = acked()
    const snoozed = at + 2 * MINUTE
    const unacked = snoozed + HOUR * [1, 2, 4, 8, 24, 72][Math.floor(draw(66) * 6)]!
    const reacked = unacked + delay(67, 15 * MINUTE, 1)
    const closed = reacked + work()
    return { acked: at, snoozed, unacked, reacked, closed, recovered: closed, closer: acker }
  },
  unacked({ draw, delay, acked, work, acker }) {
    const at = acked()
    const unacked = at + Math.ceil(5 * MINUTE + draw(66) * 2 * HOUR)
    const reacked = unacked + delay(67, 12 * MINUTE, 1)
    const closed = reacked + work()
    const recovered = draw(61) < 0.8 ? closed - Math.floor((closed - reacked) * draw(68)) : NEVER
    return { acked: at, unacked, reacked, closed, recovered, closer: acker }
  },
  stuck: ({ draw, acked }) => (draw(61) < 0.5 ? { acked: acked() } : {}),
}

/** The course of an incident that is acknowledged, then closed by a person or when its alerts recover. */
function handled({ draw, delay, acked, work, acker }: Scene) {
  const at = acked()
  const closed = at + work()
  const kind = draw(61)
  if (kind < 0.35) return { acked: at, closed, recovered: closed }
  const recovered =
    kind < 0.82
      ? at + Math.ceil((closed - at) * draw(62))
      : kind < 0.93
        ? closed + delay(60, 40 * MINUTE, 1)
        : NEVER
  return { acked: at, closed, closer: acker, recovered }
}

function aftermath({ created, severity, draw, delay }: Scene, handling: Course): Course {
  const { acked = NEVER } = handling
  const isAcked = acked !== NEVER
  const closed = lastClose(handling)
  const course: Course = {}
  let worst = severity
  if (isAcked && draw(70) < 0.04) {
    const editedSeverity = draw(72) < 0.6 ? Math.min(2, severity + 1) : Math.max(0, severity - 1)
    course.editedSeverity = editedSeverity
    if (editedSeverity !== severity) course.edited = acked + Math.ceil(draw(71) * 2 * HOUR)
    worst = Math.min(severity, editedSeverity)
  }
  if (closed === NEVER) return course
  if (isAcked && draw(73) < [0.85, 0.4, 0.12, 0][worst]!)
    course.explained = closed + Math.ceil(draw(74) * 3 * HOUR)
  const isLong = closed - created > (worst === 0 ? 40 * MINUTE : 5 * HOUR)
  if (isAcked && isLong && draw(75) < [0.7, 0.07, 0, 0][worst]!)
    course.linked = closed + Math.ceil((0.2 + draw(76) * 5) * DAY)
  if (draw(77) < 0.006) {
    course.deleted = created + Math.ceil(HOUR + draw(78) * 20 * DAY)
    course.purged = course.deleted + (draw(79) < 0.25 ? 0 : delay(80, 50 * DAY, 0.8))
  }
  return course
}
