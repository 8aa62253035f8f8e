/** Statistics of requests, for the control endpoints. Peaks are exact over every sliding window. */
export interface StatsReport {
  requests: number
  /** Number of requests by operation, then by HTTP status. The status is `reset` if a fault cut the connection. */
  operations: Record<string, Record<string, number>>
  rate_limited: number
  /** Number of requests with a valid key that exceeded the limits. The rest of `rate_limited` are injected faults. */
  beyond_limits: number
  /** `offered` counts all requests. `accepted` counts those with a valid key and within the limits. */
  most_in_1s: { offered: number; accepted: number }
  most_in_60s: { offered: number; accepted: number }
}

/** Counts requests. Times are milliseconds and never decrease. */
export class Stats {
  readonly #offered = [new Peak(1_000), new Peak(60_000)] as const
  readonly #accepted = [new Peak(1_000), new Peak(60_000)] as const
  readonly #operations: Record<string, Record<string, number>> = {}
  #requests = 0
  #rateLimited = 0
  #beyondLimits = 0

  offered(at: number): void {
    this.#requests++
    for (const peak of this.#offered) peak.add(at)
  }

  accepted(at: number): void {
    for (const peak of this.#accepted) peak.add(at)
  }

  beyondLimits(): void {
    this.#beyondLimits++
  }

  answered(operation: string, status: number | 'reset'): void {
    this.#operations[operation] ??= {}
    const byStatus = this.#operations[operation]
    byStatus[status] = (byStatus[status] ?? 0) + 1
    if (status === 429) this.#rateLimited++
  }

  report(): StatsReport {
    return {
      requests: this.#requests,
      operations: this.#operations,
      rate_limited: this.#rateLimited,
      beyond_limits: this.#beyondLimits,
      most_in_1s: { offered: this.#offered[0].most, accepted: this.#accepted[0].most },
      most_in_60s: { offered: this.#offered[1].most, accepted: this.#accepted[1].most },
    }
  }
}

/** Finds the maximum number of events in any interval of `windowMs`. Stores the events of the latest interval. */
class Peak {
  readonly #windowMs: number
  #times: number[] = []
  #head = 0
  most = 0

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  add(at: number): void {
    this.#times.push(at)
    while (this.#times[this.#head]! <= at - this.#windowMs) this.#head++
    this.most = Math.max(this.most, this.#times.length - this.#head)
    if (this.#head > 4_096 && this.#head * 2 > this.#times.length) {
      this.#times = this.#times.slice(this.#head)
      this.#head = 0
    }
  }
}
