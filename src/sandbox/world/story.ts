import { pick, unit } from '../random.ts'
import { byDraw, type Outcome } from './courses.ts'

const MINUTE = 60
/** How its incidents go, out of 1,000: more are handled, and fewer stay open, than in other made-up companies. */
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

/** Positions of the channels that facts are about: `Logistics (production)` and both of Checkout. */
const SURGING = 18
const SLOW: readonly number[] = [2, 3]
/** What shipment-tracker brings of all incidents on top of its channel's usual, before and after the turn. */
const SURGE = { before: 0.015, after: 0.1 }
const NIGHTS = { before: 1.3, after: 0.5 }

/** What is drawn otherwise of one incident. */
export interface Plan {
  readonly spot?: number
  readonly service?: number
  readonly check?: number
  readonly severity?: number
  readonly outcome: Outcome
  /** Nobody ever looks at it. */
  readonly isForgotten?: boolean
}

/**
 * What the company of the demo has to tell. It is ordinary (four of five are acknowledged in time), but for four facts,
 * three of which begin with the last complete month: the production alerts of Logistics have tripled, nights are quieter,
 * Checkout always acknowledges late, and one Critical incident waits for somebody now.
 */
export interface Story {
  plan(index: number, start: number): Plan
  /** Times to acknowledge by severity: median in seconds, and spread. */
  readonly ack: readonly { readonly median: number; readonly spread: number }[]
  /** How many times slower the channel at this position acknowledges. */
  slowness(spot: number): number
  /** Median seconds until what heals has healed. */
  readonly healed: number
  /** How much busier a night is than without a story. */
  nights(time: number): number
}

/** @param anchor the end of its history, Unix seconds @param incidents how many start before that */
export function storyOf(seed: number, anchor: number, incidents: number): Story {
  const end = new Date(anchor * 1_000)
  const turn = Date.UTC(end.getUTCFullYear(), end.getUTCMonth() - 1, 1) / 1_000
  return {
    plan(index, start) {
      if (index === incidents - 5)
        return { spot: 0, service: 0, check: 1, severity: 0, outcome: 'stuck', isForgotten: true }
      const outcome = pick(OUTCOMES, seed, index, 350)
      const surge = unit(seed, index, 351) < (start < turn ? SURGE.before : SURGE.after)
      return {
        outcome,
        ...(surge ? { spot: SURGING, service: 0, check: 0 } : {}),
        // What is left open is of the kind that is forgotten.
        ...(outcome === 'stuck' ? { severity: 2 } : {}),
      }
    },
    ack: [
      { median: 1.4 * MINUTE, spread: 0.7 },
      { median: 4 * MINUTE, spread: 0.8 },
      { median: 15 * MINUTE, spread: 0.9 },
      { median: 60 * MINUTE, spread: 1 },
    ],
    slowness: (spot) => (SLOW.includes(spot) ? 3.5 : 1),
    healed: 2 * MINUTE,
    nights: (time) => (time < turn ? NIGHTS.before : NIGHTS.after),
  }
}
