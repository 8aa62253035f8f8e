import { seeded } from '../support/random.ts'

export interface Weeks {
  /** Weeks of each period, and weeks of the history before both. */
  weeks: number
  earlier: number
  /** Correlation between neighboring weeks, and the standard deviation of the weekly levels. */
  rho?: number
  sd?: number
}

export interface Durations extends Weeks {
  perWeek: number
  /** Ratio of the durations of the period to earlier durations. */
  times?: number
  /** Log-normal seconds with sd 1.5, whole minutes, or two equal modes of minutes and hours. */
  kind?: 'seconds' | 'minutes' | 'modes'
  /** Mean number of additional incidents with equal durations (a spike), in a tenth of the weeks. */
  storm?: number
}

export function drawsOf(seed: number) {
  const next = seeded(seed)
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  const poisson = (mean: number) => {
    if (mean > 200) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()))
    let n = 0
    for (let left = Math.exp(-mean), product = next(); product > left; product *= next()) n++
    return n
  }
  return { next, normal, poisson }
}

/** Draws the levels of all weeks, history first. */
export function levels({ weeks, earlier, rho = 0, sd = 0 }: Weeks, normal: () => number): number[] {
  let level = normal()
  return Array.from({ length: earlier + 2 * weeks }, (_, week) => {
    if (week > 0) level = rho * level + Math.sqrt(1 - rho * rho) * normal()
    return sd * level
  })
}

/** Returns SQL rows `(draw, week, level, n, storm)`. Each week has n different durations and `storm` equal ones. */
export function weeksOf(world: Durations, draw: number, random: ReturnType<typeof drawsOf>): string[] {
  const { perWeek, storm = 0 } = world
  return levels(world, random.normal).map((level, week) => {
    const more = storm > 0 && random.next() < 0.1 ? random.poisson(storm) : 0
    return `(${draw},${week},${level},${random.poisson(perWeek)},${more})`
  })
}

export const NORMAL = 'sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())'

/** Returns SQL that draws durations for a table `weeks` (rows of `weeksOf`), with the columns of no_observations. */
export function durationsSql({ kind = 'seconds', times = 1, weeks, earlier }: Durations): string {
  const one = {
    minutes: `60 * greatest(1, round(5 * exp(${NORMAL} + level)))`,
    modes: `round(exp(level) * if(random() < 0.5, 120 * exp(0.3 * ${NORMAL}), 14400 * exp(0.5 * ${NORMAL})))`,
    seconds: `round(exp(8 + 1.5 * ${NORMAL} + level))`,
  }[kind]
  const now = earlier + weeks
  return `select draw as series, week >= ${now} as is_now, week - if(week >= ${now}, ${now}, ${earlier}) as place,
    if(week >= ${now}, round(seconds * ${times}), seconds) as seconds, false as is_open, n
  from (
    select draw, week, ${one} as seconds, 1 as n from weeks, unnest(range(n)) as each (k)
    union all
    select draw, week, ${one}, storm from weeks where storm > 0
  )`
}
