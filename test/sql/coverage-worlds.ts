import type { DuckDBConnection } from '@duckdb/node-api'
import { NORMAL } from './verdict-series.ts'

/** Percentage of draws whose interval contained the true value. Null if no draw had an interval. */
export type Coverage = number | null

async function held(connection: DuckDBConnection, query: string): Promise<Coverage> {
  await connection.run('select setseed(0.498)')
  const reader = await connection.runAndReadAll(
    `select 100 * avg((low <= truth and truth <= high)::int) as held from (${query}) where low is not null and high is not null`,
  )
  return reader.getRowObjectsJson()[0]!.held as number | null
}

/**
 * Returns the coverage of `expression` (an aggregate of the column x with fields low and high) for n log-normal values.
 */
export function ofLogNormals(
  connection: DuckDBConnection,
  world: { expression: string; truth: (sd: number) => number; sd: number; n: number; draws: number },
): Promise<Coverage> {
  const { expression, truth, sd, n, draws } = world
  return held(
    connection,
    `select found.low as low, found.high as high, ${truth(sd)} as truth from (
      select ${expression} as found from (
        select draw, exp(${sd} * ${NORMAL}) as x from range(${draws}) as d (draw), range(${n}) as i (k)
      ) group by draw
    )`,
  )
}

export function ofShares(
  connection: DuckDBConnection,
  { share, n, draws }: { share: number; n: number; draws: number },
): Promise<Coverage> {
  return held(
    connection,
    `select found.low as low, found.high as high, ${share} as truth from (
      select wilson_interval(count(*) filter (random() < ${share}), ${n}) as found
      from range(${draws}) as d (draw), range(${n}) as i (k) group by draw
    )`,
  )
}

export function ofShareChanges(
  connection: DuckDBConnection,
  { before, now, n, draws }: { before: number; now: number; n: number; draws: number },
): Promise<Coverage> {
  return held(
    connection,
    `select found.low as low, found.high as high, ${now - before} as truth from (
      select share_change(
        count(*) filter (chance < ${now}), ${n}, count(*) filter (chance_before < ${before}), ${n}
      ) as found
      from (
        select draw, random() as chance, random() + k * 0 as chance_before
        from range(${draws}) as d (draw), range(${n}) as i (k)
      ) group by draw
    )`,
  )
}

/** Returns the coverage for the ratio of two medians, with n durations on each side and a true ratio of `times`. */
export function ofDurationChanges(
  connection: DuckDBConnection,
  { times, n, weeks, draws }: { times: number; n: number; weeks: number; draws: number },
): Promise<Coverage> {
  return held(
    connection,
    `with drawn as materialized (
      select draw as series, k < ${n} as is_now, (k % ${weeks}) as place,
        exp(8 + 1.25 * ${NORMAL}) * if(k < ${n}, ${times}, 1) as seconds, false as is_open, 1 as n
      from range(${draws}) as d (draw), range(${2 * n}) as i (k)
    )
    select ratio_low as low, ratio_high as high, ${times} as truth from duration_changes('drawn')`,
  )
}

/**
 * Returns the coverage of the confidence interval for the ratio of two Poisson counts. The true ratio is `times`, and
 * the earlier count has mean `n`.
 */
export function ofCountChanges(
  connection: DuckDBConnection,
  { times, n, weeks, draws }: { times: number; n: number; weeks: number; draws: number },
): Promise<Coverage> {
  // Approximates Poisson counts by many rare events.
  return held(
    connection,
    `with weeks as materialized (
      select draw, is_now, w, count(*) filter (random() < if(is_now, ${times}, 1) / ${100 * Math.max(1, times)}) as n
      from range(${draws}) as d (draw), (values (true), (false)) as t (is_now), range(${weeks}) as v (w),
        range(${Math.round((100 * n * Math.max(1, times)) / weeks)}) as i (k)
      group by all
    ),
    summed as (
      select draw, sum(n) filter (is_now) as now, sum(n) filter (not is_now) as before,
        list(struct_pack(n := n, days := 7)) filter (is_now) as weeks_now, list(struct_pack(n := n, days := 7)) filter (not is_now) as weeks_before
      from weeks group by draw
    )
    select found.low as low, found.high as high, ${times} as truth from (
      select count_change(now, ${7 * weeks}, before, ${7 * weeks}, count_dispersion([weeks_before, weeks_now])) as found
      from summed
    )`,
  )
}

/** Returns the coverage for the trend of weekly Poisson counts, whose mean total over 13 weeks is n. */
export function ofTrends(
  connection: DuckDBConnection,
  { n, draws }: { n: number; draws: number },
): Promise<Coverage> {
  return held(
    connection,
    `with weeks as materialized (
      select draw, w, count(*) filter (random() < 0.01) as n
      from range(${draws}) as d (draw), range(13) as v (w), range(${Math.round((100 * n) / 13)}) as i (k) group by all
    )
    select found.low as low, found.high as high, 1 as truth from (
      select count_trend(list({'n': n, 'days': 7} order by w)) as found from weeks group by draw
    )`,
  )
}

/** Returns the coverage for survival at the median of n exponential durations, of which a fifth are censored. */
export function ofSurvival(
  connection: DuckDBConnection,
  { n, draws }: { n: number; draws: number },
): Promise<Coverage> {
  const curves = Array.from(
    { length: draws },
    (_, draw) => `select arg_max(survival_low, t_s) as low, arg_max(survival_high, t_s) as high, 0.5 as truth
      from survival_curve(of_account := ${draw}, of_incidents := 'drawn') where t_s <= ln(2)`,
  )
  return held(
    connection,
    `with drawn as materialized (
      select draw as account_id, '' as incident_severity, '' as team_name, timestamptz '2026-01-01' as start_time,
        least(lasted, seen) as survival_s, lasted > seen as is_open, false as is_muted,
        'manual' as close_type
      from (
        select draw, -ln(1 - random()) as lasted, -4 * ln(1 - random()) as seen
        from range(${draws}) as d (draw), range(${n}) as i (k)
      )
    ) ${curves.join(' union all ')}`,
  )
}
