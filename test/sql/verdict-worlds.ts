import type { DuckDBConnection } from '@duckdb/node-api'
import {
  type Durations,
  drawsOf,
  durationsSql,
  levels,
  NORMAL,
  type Weeks,
  weeksOf,
} from './verdict-series.ts'

/**
 * Shares of draws in which the macros report a change: at the nominal 5 % level, at the 1 % level, and by the rule that
 * decides what a report page states (`said`).
 */
export interface Alarms {
  readonly draws: number
  readonly at5: number
  readonly at1: number
  readonly said: number
}

/** The figures of the only row of a query. Unless the row has `said`, a page states what is significant at 1%. */
async function figuresOf<More extends string = never>(
  connection: DuckDBConnection,
  query: string,
): Promise<Alarms & Record<More, number>> {
  const [row] = (await connection.runAndReadAll(query)).getRowObjectsJson()
  const figures = Object.fromEntries(Object.entries(row!).map(([name, value]) => [name, Number(value)]))
  return { said: figures.at1, ...figures } as never
}

async function alarmsOf(connection: DuckDBConnection, observations: string): Promise<Alarms> {
  await connection.run('select setseed(0.498)')
  await connection.run(`create or replace temp table drawn as
    (select null::boolean as is_open limit 0) union all by name select *, 1 as n from (${observations})`)
  return figuresOf(
    connection,
    `select count(*) as draws, avg((p < 0.05)::int) as at5, avg((p < 0.01)::int) as at1,
      avg((verdict in ('shorter', 'longer'))::int) as said from duration_changes('drawn')`,
  )
}

/** Tests verdicts on durations with autocorrelated weeks, and the coverage of their intervals. */
export async function hanging(
  connection: DuckDBConnection,
  world: Durations & { draws: number },
): Promise<Alarms & Record<'possibly' | 'ratioHeld' | 'levelHeld', number>> {
  const { draws, times = 1, kind = 'seconds', weeks } = world
  const random = drawsOf(498 + weeks + 7 * world.perWeek)
  const rows = Array.from({ length: draws }, (_, draw) => weeksOf(world, draw, random)).flat()
  await connection.run(
    `create or replace temp table weeks as from (values ${rows.join()}) as t (draw, week, level, n, storm)`,
  )
  await connection.run('select setseed(0.498)')
  await connection.run(`create or replace temp table drawn as ${durationsSql(world)}`)
  const middle = `${kind === 'minutes' ? 300 : Math.exp(8)}e0`
  return figuresOf<'possibly' | 'ratioHeld' | 'levelHeld'>(
    connection,
    `with changes as materialized (from duration_changes('drawn')),
    durations as (
      select series, if(is_now, place, place - 1000) as place, seconds, n from drawn
    ),
    figures as (from duration_figures(of_durations := 'durations'))
    select count(*) as draws, avg((p < 0.05)::int) as at5, avg((p < 0.01)::int) as at1,
      avg((certainty = 0.99)::int) as said, avg((certainty = 0.95)::int) as possibly,
      avg((ratio_low <= ${times} * 1.0001e0 and ratio_high >= ${times} * 0.9999e0)::int) as "ratioHeld",
      avg((median_low_s <= ${middle} * ${times} * 1.0001e0 and median_high_s >= ${middle} * ${times} * 0.9999e0)::int) as "levelHeld"
    from changes join figures using (series)`,
  )
}

/**
 * Tests verdicts on counts, shares and trends with autocorrelated weeks. The levels of weeks are logarithms or logits.
 */
export async function hangingCounts(
  connection: DuckDBConnection,
  world: Weeks & { perWeek: number; draws: number; of: 'counts' | 'shares' | 'trend'; storm?: number },
): Promise<Alarms> {
  const { draws, perWeek, weeks, earlier, of, storm = 0 } = world
  const random = drawsOf(77 + weeks + perWeek)
  const rows = Array.from({ length: draws }, () => {
    const each = levels(world, random.normal).map((level) => {
      const n = of === 'shares' ? random.poisson(perWeek) : random.poisson(perWeek * Math.exp(level))
      if (of !== 'shares') return `{'n': ${n}, 'days': 7}`
      const share = 1 / (1 + Math.exp(-level))
      let hits = 0
      for (let k = 0; k < n; k++) if (random.next() < share) hits++
      const more = storm > 0 && random.next() < 0.1 ? random.poisson(storm) : 0
      return `{'hits': ${hits + (random.next() < 0.5 ? more : 0)}, 'n': ${n + more}}`
    })
    const list = (from: number, to?: number) => `[${each.slice(from, to).join()}]`
    return `([${earlier > 0 ? `${list(0, earlier)},` : ''}${list(earlier, earlier + weeks)},${list(earlier + weeks)}])`
  })
  const sum = (stretch: number, key: string) =>
    `list_sum(list_transform(stretches[${stretch}], lambda w: w.${key}))`
  const change = {
    counts: `count_change(${sum(-1, 'n')}, ${7 * weeks}, ${sum(-2, 'n')}, ${7 * weeks}, count_dispersion(stretches))`,
    shares: `share_change(${sum(-1, 'hits')}, ${sum(-1, 'n')}, ${sum(-2, 'hits')}, ${sum(-2, 'n')}, share_dispersion(stretches))`,
    trend: 'count_trend(stretches[-1])',
  }[of]
  return figuresOf(
    connection,
    `select count(*) as draws, avg(coalesce(p < 0.05, false)::int) as at5, avg(coalesce(p < 0.01, false)::int) as at1
    from (select ${change}.p as p from (values ${rows.join()}) as t (stretches))`,
  )
}

/** Tests verdicts on independent log-normal durations. Durations of the period are `times` as long as earlier ones. */
export function independent(
  connection: DuckDBConnection,
  world: { n: number; before: number; weeks: number; times?: number; draws: number },
): Promise<Alarms> {
  const { n, before, weeks, times = 1, draws } = world
  return alarmsOf(
    connection,
    `select draw as series, k < ${n} as is_now, (k % ${weeks}) as place,
      round(exp(8 + 1.5 * ${NORMAL}) * if(k < ${n}, ${times}, 1)) as seconds
    from range(${draws}) as d (draw), range(${n + before}) as i (k)`,
  )
}

/**
 * Tests verdicts on two periods without a change, read at the end of the second period. The durations of each period
 * are right-censored at the end of that period.
 */
export function unfinished(
  connection: DuckDBConnection,
  world: { perWeek: number; weeks: number; medianHours: number; draws: number },
): Promise<Alarms> {
  const { perWeek, weeks, medianHours, draws } = world
  return alarmsOf(
    connection,
    `select draw as series, is_now, floor(started / 604800) as place,
      least(seconds, ${weeks} * 604800 - started) as seconds, seconds > ${weeks} * 604800 - started as is_open
    from (
      select draw, k % 2 = 0 as is_now, floor(random() * ${weeks} * 604800) as started,
        round(${medianHours * 3_600} * exp(1.5 * ${NORMAL})) as seconds
      from range(${draws}) as d (draw), range(${2 * perWeek * weeks}) as i (k)
    )`,
  )
}

/** Creates the table `weekly` with times to resolve of the real incidents, in eight weeks from 28 March 2016. */
export async function weeksOfUci498(connection: DuckDBConnection, folder: string): Promise<void> {
  await connection.run(
    `create or replace temp table weekly as
    select datediff('week', timestamptz '2016-03-28', to_timestamp(start_time)) as week,
      (close_time - start_time)::double as seconds
    from read_ndjson('${folder.replaceAll("'", "''")}incidents.ndjson.gz')
    where to_timestamp(start_time) >= '2016-03-28' and to_timestamp(start_time) < '2016-05-23'
      and progress = 'Closed' and close_time >= start_time`,
  )
}

/**
 * Tests verdicts on whole weeks of a table `weekly` (week from 0, seconds), assigned at random to two periods. Weeks
 * repeat if necessary. Durations of the period are multiplied by `times`.
 */
export function dealt(
  connection: DuckDBConnection,
  world: { weeks: number; of: number; times?: number; share?: number; draws: number },
): Promise<Alarms> {
  const { weeks, of, times = 1, share = 1, draws } = world
  return alarmsOf(
    connection,
    `select draw as series, place < ${weeks} as is_now, place % ${weeks} as place, seconds * if(place < ${weeks}, ${times}, 1) as seconds
    from (
      select draw, week % ${of} as week, row_number() over (partition by draw order by chance) - 1 as place
      from (
        select draw, week, random() as chance
        from range(${draws}) as d (draw), range(${Math.ceil((2 * weeks) / of) * of}) as w (week)
      )
    ) join weekly using (week)
    where place < ${2 * weeks} and random() < ${share}`,
  )
}

/**
 * Tests verdicts on negative binomial weekly counts with dispersion `phi`. Counts of the period are multiplied by
 * `times`, and `earlier` is the number of weeks of history.
 */
export async function counts(
  connection: DuckDBConnection,
  world: { perWeek: number; phi: number; weeks: number; times?: number; earlier?: number; draws: number },
): Promise<Alarms> {
  const { perWeek, phi, weeks, times = 1, earlier = 0, draws } = world
  await connection.run('select setseed(0.498)')
  const rows: string[] = []
  const random = drawsOf(498 + perWeek * 1_000 + phi * 100 + weeks)
  for (let draw = 0; draw < draws; draw++) {
    const side = (mean: number, length = weeks) =>
      `[${Array.from({ length }, () => `{'n': ${negativeBinomial(mean, phi, random)}, 'days': 7}`).join()}]::struct(n bigint, days bigint)[]`
    rows.push(`(${side(perWeek * times)}, ${side(perWeek)}, ${side(perWeek, earlier)})`)
  }
  return figuresOf(
    connection,
    `select count(*) as draws, avg(coalesce(p < 0.05, false)::int) as at5, avg(coalesce(p < 0.01, false)::int) as at1 from (
      select count_change(
        list_sum(list_transform(now, lambda w: w.n)), ${7 * weeks}, list_sum(list_transform(before, lambda w: w.n)), ${7 * weeks},
        count_dispersion([earlier, before, now])
      ).p as p from (values ${rows.join()}) as t (now, before, earlier)
    )`,
  )
}

/**
 * Counts false alarms on weekly counts that do not change. `at5` and `at1` are from count_trend. `said` is the share of
 * charts with a week outside of the expected range.
 */
export async function weekly(
  connection: DuckDBConnection,
  world: { perWeek: number; phi: number; weeks: number; draws: number },
): Promise<Alarms> {
  const { perWeek, phi, weeks, draws } = world
  const random = drawsOf(29 + perWeek * 1_000 + phi * 100 + weeks)
  const rows = Array.from(
    { length: draws },
    () => `([${Array.from({ length: weeks }, () => negativeBinomial(perWeek, phi, random))}])`,
  )
  return figuresOf(
    connection,
    `select count(*) as draws, coalesce(avg((trend.p < 0.05)::int), 0) as at5, coalesce(avg((trend.p < 0.01)::int), 0) as at1,
      coalesce(avg((list_max(points) > usual.high or list_min(points) < usual.low)::int) filter (usual.is_judged), 0) as said
    from (
      select points, usual_range(points, lowest := 0, are_counts := true) as usual,
        count_trend(list_transform(points, lambda n: {'n': n, 'days': 7})) as trend
      from (values ${rows.join()}) as t (points)
    )`,
  )
}

/**
 * Tests verdicts on beta-binomial weekly shares. Their variance is about `phi` times the variance of independent
 * trials. The share of the period is higher by `more`.
 */
export async function shares(
  connection: DuckDBConnection,
  world: { perWeek: number; share: number; phi: number; weeks: number; more?: number; draws: number },
): Promise<Alarms> {
  const { perWeek, share, phi, weeks, more = 0, draws } = world
  const rows: string[] = []
  const random = drawsOf(499 + perWeek * 1_000 + share * 10_000 + phi * 100 + weeks)
  for (let draw = 0; draw < draws; draw++) {
    const side = (mean: number) =>
      `[${Array.from({ length: weeks }, () => `{'hits': ${betaBinomial(perWeek, mean, phi, random)}, 'n': ${perWeek}}`).join()}]`
    rows.push(`(${side(share + more)}, ${side(share)})`)
  }
  return figuresOf(
    connection,
    `select count(*) as draws, avg((p < 0.05)::int) as at5, avg((p < 0.01)::int) as at1 from (
      select share_change(
        list_sum(list_transform(now, lambda w: w.hits)), ${perWeek * weeks},
        list_sum(list_transform(before, lambda w: w.hits)), ${perWeek * weeks},
        share_dispersion([before, now])
      ).p as p from (values ${rows.join()}) as t (now, before)
    )`,
  )
}

type Draws = ReturnType<typeof drawsOf>

/** A Poisson draw with a gamma mean, so the variance is phi times the mean. */
function negativeBinomial(mean: number, phi: number, random: Draws): number {
  return random.poisson(phi > 1 ? gamma(mean / (phi - 1), random) * (phi - 1) : mean)
}

/** A binomial draw with a beta share, so the variance is phi times that of independent trials. */
function betaBinomial(n: number, share: number, phi: number, random: Draws): number {
  const both = phi > 1 ? (n - phi) / (phi - 1) : 0
  let own = share
  if (both > 0) {
    const [a, b] = [gamma(share * both, random), gamma((1 - share) * both, random)]
    own = a / (a + b)
  }
  let hits = 0
  for (let k = 0; k < n; k++) if (random.next() < own) hits++
  return hits
}

/** Draws from a gamma distribution, by the method of Marsaglia and Tsang (2000). */
function gamma(shape: number, random: Draws): number {
  if (shape < 1) return gamma(shape + 1, random) * random.next() ** (1 / shape)
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = random.normal()
    const v = (1 + c * x) ** 3
    if (v > 0 && Math.log(1 - random.next()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
  }
}
