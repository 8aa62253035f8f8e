import type { Incident } from '../../contract/incident.ts'
import { pick } from '../random.ts'
import { byDraw, type Outcome } from './incident-lifecycles.ts'

const MINUTE = 60

/** Properties of one incident that differ from the random default. */
export interface Plan {
  readonly spot?: number
  readonly service?: number
  readonly check?: number
  readonly severity?: number
  readonly outcome: Outcome
  readonly isForgotten?: boolean
  /** Median seconds until the incident heals, for the outcome in which it does. */
  readonly healed?: number
  /** A robot acknowledges the incident, and the person on call is assigned afterwards. */
  readonly isRobots?: boolean
}

/** Properties of a scenario's company that differ from a random one. */
export interface Story {
  plan(index: number, start: number): Plan
  /** Returns the factor by which the hour that contains a time (Unix seconds) is busier than without the scenario. */
  rate(time: number): number
  /** Returns the factor by which the channel at this position acknowledges more slowly. */
  slowness?(spot: number): number
  /** Names that replace the generated names of channels, by position. */
  readonly channels?: Readonly<Record<number, string>>
  /** Name of a member who is not a person and has no team. */
  readonly robot?: string
  /** Returns the fields of an incident's record that the scenario changes. */
  retouched?(incident: Incident, index: number): Partial<Incident>
}

/** A scenario, see scenarios/. */
export interface Lesson {
  /** One sentence on what the scenario shows. */
  readonly teaches: string
  /** Default number of incidents. */
  readonly incidents: number
  /**
   * `reporting` section of a configuration that describes its incidents. If undefined, the incidents are reported without
   * one.
   */
  readonly reporting?: object
  /** @param anchor end of the history, Unix seconds @param incidents number of incidents that start before `anchor` */
  tell(seed: number, anchor: number, incidents: number): Story
}

/**
 * Frequencies of outcomes in a scenario, per 1,000. More incidents are handled and fewer stay open than without a
 * scenario.
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

/** Returns the outcome of an incident that the scenario does not affect. */
export function ordinary(seed: number, index: number): Plan {
  const outcome = pick(OUTCOMES, seed, index, 350)
  // Incidents that stay open have a severity that people tend to forget.
  return outcome === 'stuck' ? { outcome, severity: 2 } : { outcome }
}

/** Times to acknowledge in scenarios by severity: median in seconds, and spread. */
export const STORY_ACK = [
  { median: 1.4 * MINUTE, spread: 0.7 },
  { median: 4 * MINUTE, spread: 0.8 },
  { median: 15 * MINUTE, spread: 0.9 },
  { median: 60 * MINUTE, spread: 1 },
] as const

/** Median seconds until an incident of a scenario heals. */
export const STORY_HEALED = 2 * MINUTE
/** Seconds after creation at which a robot acknowledges. */
export const ROBOT_ACK_S = 45
