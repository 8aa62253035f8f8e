const RealDate = Date
let ahead = 0

/** A date whose "now" is that of the machine's clock as it was set. */
class SetDate extends RealDate {
  constructor(...given: unknown[]) {
    super(...((given.length === 0 ? [SetDate.now()] : given) as [number]))
  }

  static override now(): number {
    return RealDate.now() + ahead
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return Object.prototype.toString.call(value) === '[object Date]'
  }
}

/**
 * Sets the clock of this process, and lets it run on from there. Timers do not change. The caller must reset the clock,
 * because tests of other files may follow in the same process. @param time Unix ms
 */
export function setMachineClock(time: number): void {
  ahead = time - RealDate.now()
  globalThis.Date = SetDate as DateConstructor
}

export function resetMachineClock(): void {
  globalThis.Date = RealDate
}
