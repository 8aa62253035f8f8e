import { DuckDBInstance } from '@duckdb/node-api'
import { resources } from '../../dist/resources/index.js'
import { createTables } from '../../dist/warehouse/schema/create.js'

/** The data is as of this time. The first incident starts a year earlier. */
const AS_OF = '2026-11-01 10:30:00+00'

/** SQL for a repeatable number in [0, 1) for row `i` and a name. DuckDB's `hash` mixes the bits of both. */
const chance = (name: string) => `(hash(i, '${name}') / 18446744073709551616.0)`
/** SQL for a normally distributed number, computed from two uniform ones. */
const normal = (name: string) =>
  `(sqrt(-2 * ln(1 - ${chance(`${name}1`)})) * cos(2 * pi() * ${chance(`${name}2`)}))`

/**
 * Fills the tables of the file at `path` with `count` incidents over a year. Durations are log-normal by severity, and
 * most incidents start in office hours. SQL creates about 300,000 rows per second.
 */
export async function bigCompany(path: string, count: number): Promise<void> {
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  await connection.run(`set TimeZone = 'UTC'; set preserve_insertion_order = false`)
  await createTables(connection, resources)
  await connection.run(`
    insert into incidents by name
    with drawn as (
      select
        i,
        timestamptz '${AS_OF}' - to_seconds(
          -- A day of the year, later days a little busier, and an hour around 13 for two in three.
          floor(365 * (1 - sqrt(${chance('day')} * 0.9 + 0.1) + 0.1)) * 86400
          + case when ${chance('office')} < 0.66
            then least(86399, greatest(0, (13 + 4 * ${normal('hour')}) * 3600)) else ${chance('hour')} * 86400 end
        ) as started,
        ${chance('severity')} as severity,
        ${chance('channel')} as channel,
        ${chance('ack')} < 0.85 as is_acknowledged,
        exp(5.8 + 0.9 * ${normal('ack_time')}) as ack_s,
        exp(7.9 + 1.3 * ${normal('close_time')} + case when ${chance('severity')} < 0.1 then 0.6 else 0 end) as close_s,
        ${chance('state')} as state
      from range(${count}) as numbers(i)
    ), timed as (
      select
        *,
        date_trunc('second', started) as start_time,
        date_trunc('second', started + to_seconds(60 + close_s + case when is_acknowledged then ack_s else 0 end)) as closed_at
      from drawn
    ), known as (
      select *, closed_at > timestamptz '${AS_OF}' or state < 0.002 as is_open from timed
    )
    select
      lpad(to_hex(i), 24, '0') as incident_id,
      1 as account_id,
      'Europe/Berlin' as account_time_zone,
      'INC-' || i as num,
      'checkout-' || (i % 977) || ': latency above the objective' as title,
      'https://service.example/incident/detail/' || i as detail_url,
      case when is_open then if(is_acknowledged, 'Processing', 'Triggered') else 'Closed' end as progress,
      case when severity < 0.1 then 'Critical' when severity < 0.35 then 'Warning' when severity < 0.95 then 'Info' else 'Ok' end
        as incident_severity,
      if(is_open, 'Warning', 'Ok') as incident_status,
      start_time,
      case when is_acknowledged and start_time + to_seconds(ack_s) < timestamptz '${AS_OF}'
        then date_trunc('second', start_time + to_seconds(if(state > 0.999, -60, ack_s))) end as ack_time,
      case when not is_open then closed_at end as close_time,
      case when not is_open and state > 0.02 then closed_at - to_seconds(floor(60 * state)) end as end_time,
      start_time + interval 5 second as created_at,
      least(closed_at, timestamptz '${AS_OF}') as updated_at,
      case when state > 0.9985 and state < 0.999 then closed_at end as deleted_at,
      1 + floor(200 * channel * channel) as channel_id,
      'channel ' || (1 + floor(200 * channel * channel)) as channel_name,
      1 + i % 30 as integration_id,
      'prometheus' as integration_type,
      md5((i % 50000)::varchar) as dedup_key,
      if(state < 0.6, 1000 + i % 500, 0) as closer_id,
      0 as creator_id,
      1 + i % 3 as alert_cnt,
      1 + i % 23 as alert_event_cnt,
      state between 0.60 and 0.63 as ever_muted,
      '{"service": "checkout", "region": "eu-' || (i % 5) || '"}' as labels,
      repeat('The root cause is told here in some words. ', (i % 4)::int) as root_cause,
      repeat('What was done, step by step, until it was over. ', (i % 5)::int) as resolution,
      1 as _run_id,
      timestamptz '${AS_OF}' as _seen_at
    from known
    order by start_time`)
  await connection.run(`
    insert into incident_responders by name
    select
      account_id,
      incident_id,
      place as ordinal,
      1000 + hash(incident_id, place) % 500 as person_id,
      start_time + to_seconds(20 + 600 * place) as assigned_at,
      ack_time as acknowledged_at
    from incidents, range(2) as places(place)
    where hash(incident_id) % 10 < 9 and (place = 0 or hash(incident_id) % 10 < 2)`)
  await connection.run(`
    insert into channels by name
    select 1 as account_id, i as channel_id, 'channel ' || i as channel_name, 1 + i % 40 as team_id from range(1, 201) as n(i);
    insert into teams by name select 1 as account_id, i as team_id, 'team ' || i as team_name from range(1, 41) as n(i);
    insert into members by name select 1 as account_id, i as member_id, 'Person ' || i as member_name from range(1000, 1500) as n(i);
    insert into sync_runs by name
    select 1 as run_id, 1 as account_id, 'ok' as status, timestamptz '${AS_OF}' as as_of_at, timestamptz '${AS_OF}' as service_time_at,
      timestamptz '${AS_OF}' as started_at, timestamptz '${AS_OF}' as finished_at;
    insert into sync_windows by name
    select 1 as account_id, 1 as run_id, i as window_id, 'incidents' as resource, 'done' as state,
      timestamptz '${AS_OF}' - to_days(i::int + 1) as window_start, timestamptz '${AS_OF}' - to_days(i::int) as window_end
    from range(366) as n(i);
    checkpoint`)
  connection.closeSync()
  instance.closeSync()
}
