import { startOf } from './strategies.ts'

/** Which claim an incident falls under. */
export type Class = 'open' | 'lookback' | 'older'

/** Staleness of one strategy over many nights. */
export interface Staleness {
  /** Most stale incidents after any night, by class. */
  readonly worst: Record<Class, number>
  /** Stale incidents after a night, on average. */
  readonly meanOlder: number
  /** Nights that changes of older incidents stayed unseen: how many were seen late, the mean, the worst. */
  readonly late: { readonly changes: number; readonly meanNights: number; readonly worstNights: number }
  /** Incidents still stale at the end. */
  readonly left: number
}

/** Follows which incidents of a copy differ from the service, night after night. */
export function createStaleness(lookbackSeconds: number) {
  const worst: Record<Class, number> = { open: 0, lookback: 0, older: 0 }
  /** Since which night each incident has been stale. */
  const since = new Map<string, number>()
  const nights: number[] = []
  let olderSum = 0
  let count = 0
  return {
    /**
     * @param stale ids that differ after this night, each with its record on the service, or as it was last if it is gone
     */
    night(stale: ReadonlyMap<string, string>, now: number): void {
      count++
      const found: Record<Class, number> = { open: 0, lookback: 0, older: 0 }
      for (const record of stale.values()) found[classOf(record, now - lookbackSeconds)]++
      for (const kind of ['open', 'lookback', 'older'] as const)
        worst[kind] = Math.max(worst[kind], found[kind])
      olderSum += found.older
      for (const [id, from] of since) {
        if (stale.has(id)) continue
        nights.push(count - from)
        since.delete(id)
      }
      for (const id of stale.keys()) if (!since.has(id)) since.set(id, count)
    },
    report(): Staleness {
      // What is still unseen has been so for this long already.
      const all = [...nights, ...[...since.values()].map((from) => count - from + 1)]
      return {
        worst,
        meanOlder: olderSum / count,
        late: {
          changes: all.length,
          meanNights: all.reduce((sum, one) => sum + one, 0) / Math.max(1, all.length),
          worstNights: Math.max(0, ...all),
        },
        left: since.size,
      }
    },
  }
}

function classOf(record: string, lookback: number): Class {
  if (!/"progress":"Closed"/.test(record)) return 'open'
  return startOf(record) >= lookback ? 'lookback' : 'older'
}
