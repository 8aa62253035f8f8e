import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

export interface Quantiles {
  n: number
  mean: number
  median: number
  p90: number
  max: number
}

/**
 * Returns quantiles of the seconds to resolve, by severity and (as `(all)`) in total. Excludes 73 incidents that a
 * timer closed.
 */
export function handledUci498(folder: string): Map<string, Quantiles> {
  const seconds = new Map<string, number[]>()
  for (const line of gunzipSync(readFileSync(join(folder, 'incidents.ndjson.gz')))
    .toString()
    .split('\n')) {
    if (line === '') continue
    const { incident_severity, start_time, close_time, closer_id, end_time } = JSON.parse(line)
    if (closer_id === 0 && end_time === 0) continue
    for (const severity of ['(all)', incident_severity]) {
      const known = seconds.get(severity)
      if (known) known.push(close_time - start_time)
      else seconds.set(severity, [close_time - start_time])
    }
  }
  return new Map([...seconds].map(([severity, values]) => [severity, quantilesOf(values)]))
}

/** Computes quantiles by linear interpolation between the two nearest ranks. */
function quantilesOf(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => {
    const place = share * (sorted.length - 1)
    const below = sorted[Math.floor(place)]!
    return below + (place % 1) * ((sorted[Math.ceil(place)] ?? below) - below)
  }
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length
  return { n: sorted.length, mean, median: at(0.5), p90: at(0.9), max: sorted.at(-1)! }
}
