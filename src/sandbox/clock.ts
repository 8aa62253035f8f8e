/** The sandbox's time, in Unix seconds. */
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
