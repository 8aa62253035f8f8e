import { ticks as niceTicks } from 'd3-array'
import { scaleLinear, scaleLog } from 'd3-scale'
import { figureText } from '../format.ts'
import type { Format } from '../spec.ts'
import type { Tick } from './plot.ts'

const minute = 60
const hour = 3600
const day = 86_400
const steps = [1, 2, 5, 10, 15, 30, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute]
  .concat([hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour])
  .concat([1, 2, 5, 7, 14, 28, 50, 100, 200, 500, 1000].map((days) => days * day))

/** Returns at most `count` + 2 round values from 0 to at least `max`. Durations get values such as 3 h and 6 h. */
export function valueTicks(max: number, as: Format, count = 4): Tick[] {
  const top = max > 0 ? max : 1
  const step = stepTo(top, as, count)
  const label = figureText(as, { timezone: 'UTC' })
  return Array.from({ length: Math.ceil(top / step - 1e-9) + 1 }, (_, index) => {
    const value = Number((index * step).toPrecision(12))
    return { value, label: value === 0 ? '0' : label(value) }
  })
}

function stepTo(top: number, as: Format, count: number): number {
  // `niceTicks` can return more ticks than asked for. Counts are integers, so their ticks must be integers too.
  const nice = Array.from({ length: count }, (_, less) => niceTicks(0, top, count - less)[1] ?? 1)
  const of = as === 'duration' ? steps : as === 'number' ? nice.map((step) => Math.max(1, step)) : nice
  return of.find((each) => top / each <= count + 0.5) ?? of.at(-1)!
}

const landmarks = [1, 10, minute, 4 * minute, 15 * minute, hour, 4 * hour, 12 * hour].concat(
  [1, 3, 7, 28, 100, 365].map((days) => days * day),
)

/** Returns round values as ticks of a logarithmic axis. Ticks are at least `gap` pixels apart. */
export function logTicks(
  domain: readonly [number, number],
  as: Format,
  at: (value: number) => number,
  gap: number,
): Tick[] {
  const [low, high] = domain
  const label = figureText(as, { timezone: 'UTC' })
  const values = as === 'duration' ? landmarks : Array.from({ length: 13 }, (_, power) => 10 ** (power - 3))
  const spaced = (all: readonly number[]) => {
    const kept: number[] = []
    for (const value of all) {
      if (value < low || value > high) continue
      const last = kept.at(-1)
      if (last === undefined || Math.abs(at(value) - at(last)) >= gap) kept.push(value)
    }
    return kept
  }
  // A narrow range can contain fewer than two landmarks. Then it gets finer round values.
  const large = spaced(values)
  const kept = large.length < 2 ? spaced(roundIn(low, high, as)) : large
  return kept.map((value) => ({ value, label: label(value) }))
}

function roundIn(low: number, high: number, as: Format): number[] {
  const step = stepTo(Math.max(high - low, Number.MIN_VALUE), as, 3)
  return Array.from({ length: 6 }, (_, index) => (Math.ceil(low / step) + index) * step)
}

/** Adds a tick such as `≤ 1 min` at `least`, where a log axis also draws smaller values. */
export function addMinimumTick(
  ticks: readonly Tick[],
  least: number | null,
  at: (value: number) => number,
  show: (value: number) => string,
): readonly Tick[] {
  if (least === null) return ticks
  return [
    { value: least, label: `≤ ${show(least)}` },
    ...ticks.filter(({ value }) => at(value) - at(least) >= 52),
  ]
}

export function upwardAxis(
  values: readonly number[],
  { scale, format: as }: { scale: 'linear' | 'log'; format: Format },
  [bottom, top]: readonly [number, number],
): { y: (value: number) => number; ticks: Tick[] } {
  const positive = values.filter((value) => value > 0)
  if (scale === 'linear' || positive.length === 0) {
    const ticks = valueTicks(Math.max(0, ...values), as)
    return { y: scaleLinear([0, ticks.at(-1)!.value], [bottom, top]), ticks }
  }
  const y = scaleLog([Math.min(...positive), Math.max(...positive)], [bottom, top])
    .nice()
    .clamp(true)
  return { y, ticks: logTicks(y.domain() as [number, number], as, y, 26) }
}
