/**
 * The sandbox's own time, in Unix seconds. It stands still until it is moved, so that a copy of the service can be
 * compared with its source row by row, or runs on from there.
 */
export interface Clock {
  now(): number
  set(now: number): void
}

/**
 * A clock that stands at `now`.
 * @param real the real time in seconds, where the clock runs: it moves as that does
 */
export function sandboxClock(now: number, real = () => 0): Clock {
  let ahead = now - real()
  return {
    now: () => Math.floor(real() + ahead),
    set(next) {
      ahead = next - real()
    },
  }
}
