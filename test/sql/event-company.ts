import type { DuckDBConnection } from '@duckdb/node-api'

/** Seconds per day, and the time of the event, 2 March 2026. */
export const DAY = 86_400
export const EVENT = Date.UTC(2026, 2, 2) / 1_000

/**
 * Fills tables with four teams. Each team has one channel, and the teams take turns to get an incident every two and a
 * half hours. After the event, the durations of the first team are multiplied by `sooner`.
 * @param world with the start of the data and the time of the sync in Unix seconds
 */
export async function fillEvents(
  connection: DuckDBConnection,
  { asOf = EVENT + 60 * DAY, from = EVENT - 120 * DAY, sooner = 0.3 } = {},
): Promise<void> {
  const run = (sql: string) => connection.run(sql)
  for (const table of ['channels', 'teams', 'sync_runs', 'incidents']) await run(`delete from ${table}`)
  await run(`insert into channels (account_id, channel_id, channel_name, status, team_id)
    select 1, i, 'c' || i, 'enabled', i from range(1, 5) as t (i)`)
  await run(
    `insert into teams (account_id, team_id, team_name) select 1, i, 'T' || i from range(1, 5) as t (i)`,
  )
  await run(`insert into sync_runs (run_id, account_id, started_at, finished_at, status, as_of_at)
    select 1, 1, to_timestamp(${asOf}), to_timestamp(${asOf}), 'ok', to_timestamp(${asOf})`)
  await run(`insert into incidents (
      account_id, incident_id, channel_id, start_time, ack_time, close_time, closer_id, creator_id, progress,
      incident_severity, alert_cnt, ever_muted
    )
    select 1, i::varchar, 1 + i % 4, start, start + to_seconds(took), start + to_seconds(5 * took), 7, 0, 'Closed',
      'Critical', 1, false
    from (
      select i, to_timestamp(${from} + 9000 * i) as start,
        round(60 + 600 * (hash(i) % 1000) / 1000) * if(i % 4 = 0 and ${from} + 9000 * i >= ${EVENT}, ${sooner}, 1) as took
      from range((${asOf} - ${from}) // 9000) as t (i)
    )`)
}
