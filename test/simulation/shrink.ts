import { events } from './life.ts'
import { nightOf, troubles } from './plan.ts'
import { type Outcome, type Simulation, simulate } from './simulate.ts'

/**
 * Makes a failing simulation smaller: excludes later nights, then disturbances and events, first in halves and then one
 * by one. @returns the smallest simulation for which the same judge still reports an error
 */
export async function shrink(simulation: Simulation, { nights, verdicts }: Outcome): Promise<Simulation> {
  const { judge } = verdicts[0]!
  const occurring = new Set(
    Array.from({ length: nights }, (_, k) => nightOf(simulation.seed, k + 1, new Set()).troubles).flat(),
  )
  const unused = troubles.filter((name) => !occurring.has(name))
  let smallest: Simulation = {
    ...simulation,
    nights,
    without: new Set([...(simulation.without ?? []), ...unused]),
  }
  const left = () => [...occurring, ...Object.keys(events)].filter((name) => !smallest.without!.has(name))
  for (let size = Math.ceil(left().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    const names = left()
    for (let from = 0; from < names.length; from += size) {
      const without = new Set([...smallest.without!, ...names.slice(from, from + size)])
      const outcome = await simulate({ seed: smallest.seed, nights: smallest.nights, without })
      if (outcome.verdicts.some((one) => one.judge === judge))
        smallest = { ...smallest, nights: outcome.nights, without }
    }
  }
  return smallest
}
