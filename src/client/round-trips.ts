/**
 * Answers to see before their round trips are believed: a full second of them, and one at least over a connection that
 * had brought one before. The first ones are slow for reasons of their own, all of them together and by the same: what
 * stands in front of the service opens connections to it, looks a key up that it keeps from then on, starts a program; none
 * of that shows in how much round trips differ. All of it is over for a second answer over the same connection.
 */
export const ENOUGH_ANSWERS = 50

/** How many of the latest answers say what is usual. */
const RECENT = 100

/** The usual round trip is worked out anew after so many answers. */
const LOOK_EVERY = 25

/** Of what is likely, never relied on, milliseconds: clocks tick, and now and then a packet is faster than all before. */
export const SLACK_MS = 6

/** Learns from round trips how much of one is certain to be needed. */
export interface RoundTrips {
  /** @param reused whether it went over a connection that had brought an answer before */
  add(ms: number, reused: boolean): void
  /** Whether enough answers were seen. */
  areKnown(): boolean
  /** No request and no answer together were, or will be, on their way for less than this, milliseconds. */
  leastMs(): number
}

/**
 * Nothing, until enough answers were seen. Then half of the fastest of all round trips, so that the path may become
 * twice as fast all at once. Where round trips hardly differ, more: the fastest, less what it lies below the usual one
 * (the median of the latest). The two ways of a path that jitters can both be fast at once, though no answer has shown
 * it yet. Where each way is fast now and then, the fastest answer had one such way and the usual one none, so both at
 * once lie as far below the fastest as that lies below the usual; where ways differ by degrees, the fastest of fifty comes
 * much closer than that.
 * Of both, some slack less.
 */
export function createRoundTrips(): RoundTrips {
  const recent: number[] = []
  let answers = 0
  let hasReused = false
  let fastest = Number.POSITIVE_INFINITY
  let usual = Number.POSITIVE_INFINITY
  const areKnown = () => hasReused && answers >= ENOUGH_ANSWERS
  return {
    areKnown,
    add(ms, reused) {
      recent[answers++ % RECENT] = ms
      hasReused ||= reused
      fastest = Math.min(fastest, ms)
      if (answers % LOOK_EVERY === 0) usual = median(recent)
    },
    leastMs() {
      if (!areKnown()) return 0
      const likely = Math.max(fastest / 2, fastest - Math.max(0, usual - fastest))
      return Math.max(0, likely - SLACK_MS)
    },
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}
