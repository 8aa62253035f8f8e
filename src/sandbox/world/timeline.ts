import { hash, logNormal, pick, unit } from '../random.ts'
import { isNight, stormOf } from './arrival-times.ts'
import { CHECKS } from './checks.ts'
import type { Company } from './company.ts'
import {
  type Course,
  closedBy,
  courseOf,
  lastClose,
  type Moments,
  NEVER,
  type Outcome,
  outcomeOf,
  type Scene,
} from './incident-lifecycles.ts'
import { type Plan, ROBOT_ACK_S, STORY_ACK, STORY_HEALED } from './scenario.ts'

export interface Timeline extends Readonly<Moments> {
  /** Number of the incident, from 0 in the order of start times. */
  readonly index: number
  readonly start: number
  readonly created: number
  /** Number of the incident's channel, from 1. 0 for a standalone incident. */
  readonly channel: number
  /** Position of the service in the channel, and of the check in CHECKS. */
  readonly service: number
  readonly check: number
  readonly outcome: Outcome
  /** Position in the contract's SEVERITIES. */
  readonly severity: number
  /** The severity after `edited`. */
  readonly editedSeverity: number
  readonly isMuted: boolean
  /** Member numbers, from 1. 0 for the system. */
  readonly creator: number
  readonly closer: number
  readonly alerts: number
  readonly events: number
}

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400
/** Time to acknowledge by severity: median in seconds, and spread. */
const ACK = [
  { median: 4 * MINUTE, spread: 0.9 },
  { median: 13 * MINUTE, spread: 1.1 },
  { median: 50 * MINUTE, spread: 1.3 },
  { median: 2 * HOUR, spread: 1.3 },
] as const
const CLOSE = [
  { median: 75 * MINUTE, spread: 1 },
  { median: 2.5 * HOUR, spread: 1.25 },
  { median: 7 * HOUR, spread: 1.5 },
  { median: 10 * HOUR, spread: 1.5 },
] as const
const LONGEST = 70 * DAY
const HEALED = 6 * MINUTE

/** Generates the events of an incident. `late` is the share of incidents that change long after they were closed. */
export function timelineOf(company: Company, index: number, start: number, late: number): Timeline {
  const { seed, channels, members, story } = company
  const plan = story?.plan(index, start)
  const draw = (salt: number) => unit(seed, index, salt)
  const { group, inStorm, spot } = placeOf(company, { index, start, draw }, plan)
  const severity = plan?.severity ?? severityOf(draw(42), inStorm)
  const outcome = plan?.outcome ?? outcomeOf(seed, index)
  const alerts =
    outcome === 'manual' ? 0 : Math.min(60, Math.floor(logNormal(seed, index, 50, 1.6, 0.9)) || 1)
  const scene = sceneOf(company, { index, start, draw }, { plan, spot, severity })
  const course = plan?.isForgotten ? {} : courseOf(outcome, scene)
  if (late > 0) Object.assign(course, lateChange(course, scene, late))
  const isStandalone = plan?.spot === undefined && draw(45) < 0.015
  Object.assign(course, closedBy(course, scene, isStandalone || !channels[spot]!.channel.disable_auto_close))
  // The fields are listed one by one, because reading a field of a spread object takes ten times as long.
  return {
    index,
    start,
    created: scene.created,
    channel: isStandalone ? 0 : spot + 1,
    service: plan?.service ?? hash(seed, group, 46) % channels[spot]!.services.length,
    check: plan?.check ?? hash(seed, group, 47) % CHECKS.length,
    outcome,
    severity,
    editedSeverity: course.editedSeverity ?? severity,
    isMuted: draw(48) < 0.04 && (outcome === 'healed' || outcome === 'timedOut'),
    creator: outcome === 'manual' ? 1 + (hash(seed, index, 49) % members.length) : 0,
    closer: course.closer ?? 0,
    alerts,
    events: Math.min(60_000, Math.floor(alerts * (1 + logNormal(seed, index, 51, 2, 1.1)))),
    acked: course.acked ?? NEVER,
    unacked: course.unacked ?? NEVER,
    reacked: course.reacked ?? NEVER,
    snoozed: course.snoozed ?? NEVER,
    recovered: course.recovered ?? NEVER,
    closed: course.closed ?? NEVER,
    reopened: course.reopened ?? NEVER,
    ackedAgain: course.ackedAgain ?? NEVER,
    closedAgain: course.closedAgain ?? NEVER,
    edited: course.edited ?? NEVER,
    explained: course.explained ?? NEVER,
    linked: course.linked ?? NEVER,
    deleted: course.deleted ?? NEVER,
    purged: course.purged ?? NEVER,
  }
}

type Drawn = Pick<Scene, 'index' | 'start' | 'draw'>

/** Chooses the channel of an incident. `spot` is its position. All incidents of one storm share the number `group`. */
function placeOf({ seed, channels, story }: Company, { index, start, draw }: Drawn, plan: Plan | undefined) {
  const storm = stormOf(seed, Math.floor(start / HOUR))
  // Most incidents in a storm affect the same channel, service and check. Scenarios have no storms.
  const inStorm = storm !== undefined && !story && draw(40) < 0.75
  const group = inStorm ? storm : index
  // A small company has fewer channels than the scenario assumes, so the position is limited.
  const planned = plan?.spot === undefined ? undefined : Math.min(plan.spot, channels.length - 2)
  // The exponent favors the first channels, so that a few are noisy and most are quiet.
  const spot = planned ?? Math.floor(unit(seed, group, 41) ** 1.7 * channels.length)
  return { group, inStorm, spot }
}

function sceneOf(
  company: Company,
  { index, start, draw }: Drawn,
  { plan, spot, severity }: { plan: Plan | undefined; spot: number; severity: number },
): Scene {
  const { seed, story } = company
  const created = start + Math.floor(logNormal(seed, index, 44, 12, 1))
  const ack = (story ? STORY_ACK : ACK)[severity]!
  const slowness = (isNight(start) ? 1.7 : 1) * (story?.slowness?.(spot) ?? 1)
  const close = CLOSE[severity]!
  const delay = (salt: number, median: number, spread: number) =>
    Math.ceil(logNormal(seed, index, salt, median, spread))
  return {
    seed,
    index,
    start,
    created,
    severity,
    acker: company.personOf(index, spot, start),
    healed: plan?.healed ?? (story ? STORY_HEALED : HEALED),
    draw,
    delay,
    acked: () => created + (plan?.isRobots ? ROBOT_ACK_S : delay(52, ack.median * slowness, ack.spread)),
    work: () => Math.min(LONGEST, delay(53, close.median, close.spread)),
  }
}

function severityOf(draw: number, inStorm: boolean): number {
  const [critical, warning, info] = inStorm ? [0.16, 0.62, 0.995] : [0.055, 0.38, 0.99]
  return draw < critical! ? 0 : draw < warning! ? 1 : draw < info! ? 2 : 3
}

/** Range of days between the start of an incident and its late change. */
const SOONEST_DAYS = 35
const LATEST_DAYS = 300

/** Changes a `share` (0 to 1) of incidents long after they were closed. */
function lateChange(course: Course, scene: Scene, share: number): Course {
  const { seed, index, start, draw } = scene
  if (draw(95) >= share) return {}
  const closed = lastClose(course)
  if (closed === NEVER) return {}
  const days = SOONEST_DAYS + draw(96) * (LATEST_DAYS - SOONEST_DAYS)
  const at = Math.max(start + Math.ceil(days * DAY), closed + DAY)
  const later = Object.entries(course).filter(([, moment]) => moment > at)
  const change = pick(CHANGES, seed, index, 97)
  return { ...Object.fromEntries(later.map(([name]) => [name, NEVER])), ...change(at, scene) }
}

type Change = (at: number, scene: Scene) => Course

/** Reopens the incident. Replaces an earlier reopening, because a timeline can contain only one. */
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
