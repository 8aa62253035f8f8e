/**
 * The sandbox's own time, in Unix seconds. By default it does not advance by itself, so that a copy of the service can
 * be compared with its source row by row. Optionally, it runs.
 */
export interface Clock {
  now(): number
  set(now: number): void
}

/**
 * Creates a clock that starts at `now`.
 * @param real returns the real time in seconds, for a running clock
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
