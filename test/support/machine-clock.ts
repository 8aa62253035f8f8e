const RealDate = Date
let ahead = 0

/** A `Date` whose current time is `ahead` milliseconds later than the real time. */
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

/** Sets the clock of this process to a Unix time in ms. Tests must reset it, because they share the process. */
export function setMachineClock(time: number): void {
  ahead = time - RealDate.now()
  globalThis.Date = SetDate as DateConstructor
}

export function resetMachineClock(): void {
  globalThis.Date = RealDate
}
