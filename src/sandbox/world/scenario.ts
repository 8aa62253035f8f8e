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
  readonly isForgotten?: boolean
  /** Median number of seconds until an incident with the outcome `healed` resolves by itself. */
  readonly healed?: number
  readonly isRobots?: boolean
}

/** How a scenario's company differs from a random one. `rate` and `slowness` are factors; 1 means no change. */
export interface Story {
  plan(index: number, start: number): Plan
  /** A multiple of the usual rate of incidents at a time in Unix seconds. */
  rate(time: number): number
  /** A multiple of the usual time to acknowledge. `spot` is the channel's position. */
  slowness?(spot: number): number
  readonly channels?: Readonly<Record<number, string>>
  readonly robot?: string
  retouched?(incident: Incident, index: number): Partial<Incident>
}

export interface Lesson {
  readonly teaches: string
  readonly incidents: number
  /** The configuration section `reporting` that the demo uses for this scenario. */
  readonly reporting?: object
  /** `anchor` is the end of the history in Unix seconds. `incidents` start before it. */
  tell(seed: number, anchor: number, incidents: number): Story
}

/**
 * Number of incidents per 1,000 with each outcome in a scenario. Without a scenario, fewer incidents have the outcome
 * `handled`.
 */
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

export function ordinary(seed: number, index: number): Plan {
  const outcome = pick(OUTCOMES, seed, index, 350)
  // An incident that stays open has the severity Info, because people forget mild incidents more often than severe
  // ones.
  return outcome === 'stuck' ? { outcome, severity: 2 } : { outcome }
}

/** Time to acknowledge by severity: median in seconds, and spread. */
export const STORY_ACK = [
  { median: 1.4 * MINUTE, spread: 0.7 },
  { median: 4 * MINUTE, spread: 0.8 },
  { median: 15 * MINUTE, spread: 0.9 },
  { median: 60 * MINUTE, spread: 1 },
] as const

/** Median seconds until an incident in a scenario resolves by itself. */
export const STORY_HEALED = 2 * MINUTE
/** Seconds after which a robot acknowledges a new incident. */
export const ROBOT_ACK_S = 45
