import type { Incident } from '../../contract/incident.ts'
import { pick } from '../random.ts'
import { byDraw, type Outcome } from './incident-lifecycles.ts'

const MINUTE = 60

/** Properties of one incident that a scenario sets. The others are random. */
export interface Plan {
  readonly spot?: number
  readonly service?: number
  readonly check?: number
  readonly severity?: number
  readonly outcome: Outcome
  /** Whether the incident has no events, so that it stays open and unacknowledged. */
  readonly isForgotten?: boolean
  /** Median number of seconds until the incident resolves by itself, if its outcome is `healed`. */
  readonly healed?: number
  /** Whether a robot acknowledges the incident. */
  readonly isRobots?: boolean
}

/** How the company of a scenario differs from a random one. `rate` and `slowness` return factors; 1 means no change. */
export interface Story {
  plan(index: number, start: number): Plan
  /** Returns how busy a time (Unix seconds) is, as a multiple of the usual rate. */
  rate(time: number): number
  /** Returns how long people take to acknowledge, as a multiple of the usual time. `spot` is the channel's position. */
  slowness?(spot: number): number
  /** Names of channels by position. */
  readonly channels?: Readonly<Record<number, string>>
  /** Name of a member that is a robot. */
  readonly robot?: string
  /** Returns the fields of an incident's record that the scenario changes. */
  retouched?(incident: Incident, index: number): Partial<Incident>
}

/** A scenario. The folder scenarios/ contains all of them. */
export interface Lesson {
  /** One sentence on what the scenario shows. */
  readonly teaches: string
  /** Default number of incidents. */
  readonly incidents: number
  /** The configuration section `reporting` that the demo uses for this scenario. */
  readonly reporting?: object
  /** @param anchor end of the history, Unix seconds @param incidents number of incidents that start before `anchor` */
  tell(seed: number, anchor: number, incidents: number): Story
}

/** How many of 1,000 incidents in a scenario have each outcome. Without a scenario, fewer have `handled`. */
const OUTCOMES = byDraw({
  handled: 770,
  healed: 110,
  manual: 30,
  merged: 25,
  reopened: 18,
  snoozed: 12,
  handUnacked: 10,
  timedOut: 12,
  unacked: 10,
  stuck: 3,
})

/** Returns the outcome of an incident that the scenario does not affect. */
export function ordinary(seed: number, index: number): Plan {
  const outcome = pick(OUTCOMES, seed, index, 350)
  // People forget mild incidents more often than severe ones, so an incident that stays open is an Info.
  return outcome === 'stuck' ? { outcome, severity: 2 } : { outcome }
}

/** Time to acknowledge an incident in a scenario, for each severity: median in seconds, and spread. */
export const STORY_ACK = [
  { median: 1.4 * MINUTE, spread: 0.7 },
  { median: 4 * MINUTE, spread: 0.8 },
  { median: 15 * MINUTE, spread: 0.9 },
  { median: 60 * MINUTE, spread: 1 },
] as const

/** Median number of seconds until an incident in a scenario resolves by itself. */
export const STORY_HEALED = 2 * MINUTE
/** Seconds after creation at which a robot acknowledges. */
export const ROBOT_ACK_S = 45
