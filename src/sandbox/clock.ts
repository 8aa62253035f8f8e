/**
 * The sandbox's own time, in Unix seconds. It stands still until it is moved, so that a copy of the service can be
 * compared with its source row by row.
 */
export interface Clock {
  now(): number
  set(now: number): void
}

/** A clock that stands at `now`. */
export function standingClock(now: number): Clock {
  let at = now
  return {
    now: () => at,
    set(next) {
      at = next
    },
  }
}
