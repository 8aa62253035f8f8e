/** Each peak is the exact maximum over all positions of a sliding window, not a count per fixed interval. */
export interface StatsReport {
  requests: number
  /** Requests by operation, then by HTTP status. The status is `reset` if a fault cut the connection. */
  operations: Record<string, Record<string, number>>
  rate_limited: number
  /** Requests with a valid key that exceeded the limits. The rest of `rate_limited` are injected faults. */
  beyond_limits: number
  /** `offered` counts all requests, `accepted` only those with a valid key and within the limits. */
  most_in_1s: { offered: number; accepted: number }
  most_in_60s: { offered: number; accepted: number }
}

/** Counts requests. All times are milliseconds and must never decrease. */
export class Stats {
  readonly #peaks = {
    most_in_1s: { offered: peakIn(1_000), accepted: peakIn(1_000) },
    most_in_60s: { offered: peakIn(60_000), accepted: peakIn(60_000) },
  }
  readonly #report: StatsReport = {
    requests: 0,
    operations: {},
    rate_limited: 0,
    beyond_limits: 0,
    most_in_1s: { offered: 0, accepted: 0 },
    most_in_60s: { offered: 0, accepted: 0 },
  }

  offered(at: number): void {
    this.#report.requests++
    this.#count('offered', at)
  }

  accepted(at: number): void {
    this.#count('accepted', at)
  }

  beyondLimits(): void {
    this.#report.beyond_limits++
  }

  answered(operation: string, status: number | 'reset'): void {
    this.#report.operations[operation] ??= {}
    const byStatus = this.#report.operations[operation]
    byStatus[status] = (byStatus[status] ?? 0) + 1
    if (status === 429) this.#report.rate_limited++
  }

  report(): StatsReport {
    return structuredClone(this.#report)
  }

  #count(kind: 'offered' | 'accepted', at: number): void {
    for (const window of ['most_in_1s', 'most_in_60s'] as const)
      this.#report[window][kind] = this.#peaks[window][kind](at)
  }
}

/** Returns a function that adds an event, and returns the highest count in any interval of `windowMs`. */
function peakIn(windowMs: number): (at: number) => number {
  let times: number[] = []
  let head = 0
  let most = 0
  return (at) => {
    times.push(at)
    while (times[head]! <= at - windowMs) head++
    most = Math.max(most, times.length - head)
    if (head > 4_096 && head * 2 > times.length) {
      times = times.slice(head)
      head = 0
    }
    return most
  }
}
