export type Clock = ReturnType<typeof sandboxClock>

/** Creates a clock that starts at `now` and advances like `real`. All times are Unix seconds. */
export function sandboxClock(now: number, real = () => 0) {
  let ahead = now - real()
  return {
    now: () => Math.floor(real() + ahead),
    set(next: number) {
      ahead = next - real()
    },
  }
}
