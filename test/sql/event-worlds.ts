import type { DuckDBConnection } from '@duckdb/node-api'
import { drawsOf, levels, NORMAL } from './verdict-series.ts'

/** A company with an event that affects the first team, and changes that affect all teams. */
export interface EventWorld {
  of: 'times' | 'counts'
  weeks: number
  before: number
  /** Incidents of the affected team per week. Each other team has half as many. */
  perWeek: number
  others: number
  draws: number
  /** The factor by which durations or counts of the affected team change at the event. */
  times?: number
  /** The factor by which durations or counts of every team change at the event. */
  allTimes?: number
  /** Correlation between neighboring weeks of a team, and the standard deviation of the weekly levels (logarithms). */
  rho?: number
  sd?: number
  /** Mean number of additional incidents with equal durations (a spike), in a tenth of the weeks of each team. */
  storm?: number
  /** Change per week in logarithms, for every team or only the affected one. */
  trend?: number
  ownTrend?: number
  /** Amplitude of a yearly season in logarithms, which changes fastest at the event. */
  season?: number
  kind?: 'seconds' | 'minutes' | 'modes'
  uneven?: boolean
}

export interface Told {
  at1: number
  colored: number
  possibly: number
  trend: number
  held: number
}

/** Returns SQL rows `(draw, team, week, level, n, storm)`. */
function rowsOf(world: EventWorld, draw: number, random: ReturnType<typeof drawsOf>): string[] {
  const { of, perWeek, others, weeks, before, storm = 0, trend = 0, ownTrend = 0, season = 0 } = world
  return Array.from({ length: others + 1 }, (_, team) =>
    levels({ ...world, weeks: 0, earlier: before + weeks }, random.normal).map((own, place) => {
      const week = place - before
      const since = week < 0 ? 0 : Math.log((team === 0 ? (world.times ?? 1) : 1) * (world.allTimes ?? 1))
      const common = trend * week + season * Math.sin((2 * Math.PI * (week + 0.5)) / 52)
      const level = own + common + since + (team === 0 ? ownTrend * week : 0)
      const more = storm > 0 && random.next() < 0.1 ? random.poisson(storm) : 0
      const usual = team === 0 ? perWeek : perWeek / 2
      const n = random.poisson(of === 'counts' ? usual * Math.exp(level) : usual)
      return `(${draw},${team},${week},${level},${n},${more})`
    }),
  ).flat()
}

function timesSql({ kind = 'seconds', uneven = false }: EventWorld): string {
  const [middle, spread] = uneven ? ['6 + team % 4', '0.8 + 0.3 * (team % 5)'] : ['8', '1.5']
  const one = {
    minutes: `60 * greatest(1, round(5 * exp(${NORMAL} + level)))`,
    modes: `round(exp(level) * if(random() < 0.5, 120 * exp(0.3 * ${NORMAL}), 14400 * exp(0.5 * ${NORMAL})))`,
    seconds: `round(exp(${middle} + (${spread}) * ${NORMAL} + level))`,
  }[kind]
  return `select draw as series, team as team_name, team = 0 as is_touched, week, seconds, false as is_open, n from (
    select draw, team, week, ${one} as seconds, 1 as n from event_weeks_drawn, unnest(range(n)) as each (k)
    union all
    select draw, team, week, ${one}, storm from event_weeks_drawn where storm > 0
  )`
}

/** Runs the macros of `sql/` on simulated companies. */
export async function told(connection: DuckDBConnection, world: EventWorld): Promise<Told> {
  const { of, draws, times = 1, others, allTimes = 1 } = world
  const random = drawsOf(498 + world.weeks + 7 * world.perWeek)
  await connection.run('select setseed(0.498)')
  const sums = { draws: 0, at1: 0, colored: 0, possibly: 0, trend: 0, held: 0 }
  // Works in batches, because a thousand companies of eight teams would not fit into memory.
  for (let from = 0; from < draws; from += 100) {
    const rows = Array.from({ length: Math.min(100, draws - from) }, (_, draw) =>
      rowsOf(world, draw, random),
    ).flat()
    await connection.run(
      `create or replace temp table event_weeks_drawn as from (values ${rows.join()}) as t (draw, team, week, level, n, storm)`,
    )
    const drawn =
      of === 'times'
        ? timesSql(world)
        : 'select draw as series, team = 0 as is_touched, week, n + storm as n from event_weeks_drawn'
    await connection.run(`create or replace temp table drawn as ${drawn}`)
    const truth = others > 0 ? times : times * allTimes
    const reader = await connection.runAndReadAll(
      `select count(*) as draws, sum((shift_p < 0.01)::int) as at1, sum((code = 'sure')::int) as colored,
        sum((code in ('possible', 'since'))::int) as possibly, sum((code = 'trend')::int) as trend,
        sum((ratio_low <= ${truth}e0 * 1.0001 and ratio_high >= ${truth}e0 * 0.9999)::int) as held
      from (with changes as (from event_${of}('drawn')) from event_verdicts(of_changes := 'changes'))`,
    )
    for (const [key, value] of Object.entries(reader.getRowObjectsJson()[0]!))
      sums[key as keyof typeof sums] += Number(value)
  }
  const { draws: all, ...counts } = sums
  return Object.fromEntries(Object.entries(counts).map(([key, n]) => [key, n / all])) as unknown as Told
}
