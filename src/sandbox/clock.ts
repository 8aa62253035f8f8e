/** The sandbox's own time, in Unix seconds. By default it is fixed, so that a copy can be compared with the service. */
export interface Clock {
  now(): number
  set(now: number): void
}

/** Creates a clock that starts at `now` and advances like `real`, in seconds. */
export function sandboxClock(now: number, real = () => 0): Clock {
  let ahead = now - real()
  return {
    now: () => Math.floor(real() + ahead),
    set(next) {
      ahead = next - real()
    },
  }
}
