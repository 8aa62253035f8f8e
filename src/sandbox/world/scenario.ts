import type { Incident } from '../../contract/incident.ts'
import { pick } from '../random.ts'
import { byDraw, type Outcome } from './incident-lifecycles.ts'

const MINUTE = 60

/** What is drawn otherwise of one incident. */
export interface Plan {
  readonly spot?: number
  readonly service?: number
  readonly check?: number
  readonly severity?: number
  readonly outcome: Outcome
  /** Nobody ever looks at it. */
  readonly isForgotten?: boolean
  /** Median seconds until it has healed, where that is its outcome. */
  readonly healed?: number
  /** The robot acknowledges it, and whoever is on call hears of it afterwards. */
  readonly isRobots?: boolean
}

/** What a company has to tell: where it differs from another made-up one. */
export interface Story {
  plan(index: number, start: number): Plan
  /** How much busier the hour is that begins at a time (Unix seconds) than without a story. */
  rate(time: number): number
  /** How many times slower the channel at this position acknowledges. */
  slowness?(spot: number): number
  /** Names of channels by their positions, in place of their own. */
  readonly channels?: Readonly<Record<number, string>>
  /** A member of no team, which is no person. */
  readonly robot?: string
  /** What is written otherwise in the record of an incident. */
  retouched?(incident: Incident, index: number): Partial<Incident>
}

/** A world that teaches something: see scenarios/. */
export interface Lesson {
  /** What there is to see in it, in one sentence. */
  readonly teaches: string
  /** How many incidents it has unless it is asked for more or fewer. */
  readonly incidents: number
  /** `reporting` of a configuration that says what its incidents are; without it they are told as they were read. */
  readonly reporting?: object
  /** @param anchor the end of its history, Unix seconds @param incidents how many start before that */
  tell(seed: number, anchor: number, incidents: number): Story
}

/** How incidents of a story go, out of 1,000: more are handled, and fewer stay open, than in other made-up companies. */
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

/** How an incident of a story goes, unless it is one that the story is about. */
export function ordinary(seed: number, index: number): Plan {
  const outcome = pick(OUTCOMES, seed, index, 350)
  // What is left open is of the kind that is forgotten.
  return outcome === 'stuck' ? { outcome, severity: 2 } : { outcome }
}

/** Of a story's incidents, times to acknowledge by severity: median in seconds, and spread. */
export const STORY_ACK = [
  { median: 1.4 * MINUTE, spread: 0.7 },
  { median: 4 * MINUTE, spread: 0.8 },
  { median: 15 * MINUTE, spread: 0.9 },
  { median: 60 * MINUTE, spread: 1 },
] as const

/** Median seconds until what heals in a story has healed. */
export const STORY_HEALED = 2 * MINUTE
/** So many seconds after it was created a robot acknowledges. */
export const ROBOT_ACK_S = 45
