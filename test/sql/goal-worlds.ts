import type { DuckDBConnection } from '@duckdb/node-api'
import { drawsOf, levels, type Weeks } from './verdict-series.ts'

/** A severity whose long-run share exactly equals its objective, unless `below` is set. */
export interface Goals extends Omit<Weeks, 'earlier'> {
  n: number
  /** The objective, a key of `BORDERS`. */
  goal: keyof typeof BORDERS
  /**
   * Mean number of incidents in a spike, which occurs in a tenth of the weeks. Either all incidents of a spike meet the
   * target, or all miss it.
   */
  storm?: number
  /** Shortfall from the objective, in standard deviations of a normal distribution. */
  below?: number
}

const BORDERS = { 0.5: 0, 0.8: 0.8416212335729143, 0.9: 1.2815515655446004, 0.95: 1.6448536269514722 }
const SEVERITY = { 0.5: 'Half', 0.8: 'Most', 0.9: 'Nearly all', 0.95: 'All but one' }

/**
 * Returns the shares of draws in which an objective is reported as missed, and as met. An incident is in time if a
 * normal draw plus the level of its week is below the border, so autocorrelated weeks do not change the long-run share.
 */
export async function goals(
  connection: DuckDBConnection,
  world: Goals & { draws: number },
): Promise<{ missed: number; met: number }> {
  const { n, goal, storm = 0, below = 0, sd = 0, draws, weeks } = world
  const border = BORDERS[goal] * Math.hypot(1, sd) - below
  const random = drawsOf(901 + n + 1_000 * goal + weeks + storm)
  const rows: string[] = []
  for (let draw = 0; draw < draws; draw++) {
    const each = levels({ ...world, earlier: weeks, weeks: 0 }, random.normal)
    const isInTime = (week: number) => random.normal() < border + each[week]!
    for (let k = 0; k < n; k++) {
      const week = Math.floor(random.next() * weeks)
      rows.push(`(${draw},${week},${isInTime(week)},1)`)
    }
    for (let week = 0; week < weeks && storm > 0; week++)
      if (random.next() < 0.1) rows.push(`(${draw},${week},${isInTime(week)},${random.poisson(storm)})`)
  }
  await connection.run(
    `create or replace temp table done as from (values ${rows.join()}) as t (draw, week, is_in_time, n)`,
  )
  const severity = SEVERITY[goal]
  await connection.run(`delete from config_targets where severity = '${severity}';
    insert into config_targets by name select '${severity}' as severity, 100 as ack_target_s, ${goal} as ack_goal`)
  await connection.run(`create or replace temp table judged as
    select 1 as account_id, '' as incident_id, '${severity}' as incident_severity, draw::varchar as team_name,
      null::map(varchar, varchar) as dimensions,
      to_timestamp(week * 604800) as start_time, to_timestamp(52 * 604800) as as_of_at, start_time as ack_time,
      start_time as closed_at, true as is_acknowledged, false as is_open, false as is_muted, false as is_negative_ack,
      false as is_negative_close, if(is_in_time, 1, 1000) as time_to_ack_s, time_to_ack_s as time_to_close_s,
      null::double as time_to_recover_s, 'manual' as close_type
    from done, unnest(range(n)) as one (k)`)
  const found = await connection.runAndReadAll(
    `select avg((met + missed >= 8 and share_high < goal)::int) as missed,
      avg((met + missed >= 8 and share_low > goal)::int) as met
    from target_attainment(of_incidents := 'judged')
    where measure = 'acknowledge' and team_name <> '(all)' and incident_severity = '${severity}'`,
  )
  const [row] = found.getRowObjectsJson()
  return { missed: Number(row!.missed), met: Number(row!.met) }
}
