/** Of one operation: requests sent (each attempt is one), 429s among them, attempts again, bytes of answers. */
export interface Counts {
  requests: number
  throttled: number
  retries: number
  bytes: number
}

export interface Stats extends Counts {
  byOperation: Record<string, Counts>
}

/** Counts per operation; the totals are their sums. */
export function createStats() {
  const byOperation: Record<string, Counts> = {}
  return {
    of(operation: string): Counts {
      byOperation[operation] ??= { requests: 0, throttled: 0, retries: 0, bytes: 0 }
      return byOperation[operation]
    },
    snapshot(): Stats {
      const all = Object.values(byOperation)
      const sum = (of: keyof Counts) => all.reduce((total, counts) => total + counts[of], 0)
      return {
        requests: sum('requests'),
        throttled: sum('throttled'),
        retries: sum('retries'),
        bytes: sum('bytes'),
        byOperation: structuredClone(byOperation),
      }
    },
  }
}
