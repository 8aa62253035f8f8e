import type { Part } from './result.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/**
 * Seconds as people say them, two units at most: 45 s, 4 min 24 s, 48 min, 1 h 48 min, 5 d 11 h, 341 d.
 * Rounded to the smaller unit first, so that 59 min 59 s becomes 1 h and not 60 min.
 */
export function durationParts(seconds: number): Part[] {
  if (seconds < 0) return [{ text: '−' }, ...durationParts(-seconds)]
  if (seconds < 9.95) return pair([[Number(seconds.toFixed(1)), 's']])
  if (seconds < 59.5) return pair([[Math.round(seconds), 's']])
  if (seconds < 10 * minute - 0.5) return split(Math.round(seconds), minute, 'min', 1, 's')
  if (seconds < hour - 30) return pair([[Math.round(seconds / minute), 'min']])
  if (seconds < day - 30) return split(Math.round(seconds / minute) * minute, hour, 'h', minute, 'min')
  if (seconds < 100 * day - hour / 2) return split(Math.round(seconds / hour) * hour, day, 'd', hour, 'h')
  return pair([[Math.round(seconds / day), 'd']])
}

function split(seconds: number, large: number, largeUnit: string, small: number, smallUnit: string): Part[] {
  const rest = (seconds % large) / small
  return pair([
    [Math.floor(seconds / large), largeUnit],
    ...(rest === 0 ? [] : [[rest, smallUnit] as [number, string]]),
  ])
}

function pair(figures: [number, string][]): Part[] {
  return figures.flatMap(([figure, unit]) => [{ text: String(figure) }, { text: unit, unit: true as const }])
}
