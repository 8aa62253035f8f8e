import type { DuckDBConnection } from '@duckdb/node-api'
import { createSettings } from '../../src/definitions/settings-tables.ts'
import { defaultSettings, type Settings } from '../../src/settings/settings.ts'
import { fill, insert } from '../support/tables.ts'

/**
 * Changes planted in the last 13 weeks of a company with four teams and two channels each, about seven incidents a
 * week per channel, and the expected start of the lead. They are large enough for a power of 99 %.
 */
export const facts = {
  /** Hundreds of incidents in an hour at noon, from all channels. */
  'a storm': /^\d+ incidents came on /,
  /** 120 incidents on two days from one channel, with one cause. */
  'a burst of one cause': /^\d+ incidents came (on|in the week of) .* from B1 /,
  /** One team takes three times as long to resolve. */
  'a slow team': /^B \d+ took .* to resolve/,
  /** One channel has three times as many incidents. */
  'a tripled channel': /^Incidents from B1 \d+[: ]/,
  /** One of four people gets nine in ten pages at night. */
  'nights on one person': /^One of the \d+ people in B \d+ received .* pages at night/,
  /** Four of five Warnings become Info. */
  'a relabelled severity': /^(Info|Warning) incidents (rose|fell)|^(Critical and )?Warning: /,
  /** A data gap of the last 28 days. */
  silence: /^No incidents recorded since .* \(2\d days/,
  /** One team is late for half of its incidents, others are nearly always in time. */
  'a team that misses': /^B \d+ (acknowledged .* within target \(objective:|took .* to acknowledge)/,
  nothing: null,
  /** All channels have 60 % more incidents. */
  'more of all': null,
  /** All teams take 60 % longer to resolve. */
  'slower everywhere': null,
} as const
export type Fact = keyof typeof facts

const DAY = 86_400
const monday = Date.UTC(2026, 10, 2) / 1_000
const WEEKS = 38
export const readAt = monday + DAY / 2

/** A planted miss needs an explicit objective. */
export const settingsFor = (fact: Fact): Settings =>
  fact === 'a team that misses'
    ? { ...defaultSettings, targets: defaultSettings.targets.map((one) => ({ ...one, ack_goal: 0.8 })) }
    : defaultSettings

/** The teams of a seed. */
export const teamsOf = (seed: number) => ['A', 'B', 'C', 'D'].map((name) => `${name} ${seed}`)

/** Creates the channels, and random macros that are reproducible by seed. */
const channelsSql = (seeds: readonly number[]) => `
    create temp macro any_of(seed, what, k) as (hash(seed, what, k) % 1000003 + 0.5) / 1000003;
    create temp macro normal_of(seed, what, k) as
      sqrt(-2 * ln(any_of(seed, what || 'r', k))) * cos(2 * pi() * any_of(seed, what || 'a', k));
    create temp table channels_of as
      select seed, team, channel, 100 * seed + 10 * team + channel as id, 5 + 4 * any_of(seed, 'size', 10 * team + channel) as rate
      from (select unnest([${seeds}]) as seed), range(4) as t (team), range(2) as c (channel)`

/** Creates the incidents. */
const happenedSql = (fact: Fact) => `create temp table happened as
    with
      weeks as (
        select *, week >= ${WEEKS - 13} as is_now, rate * exp(0.15 * normal_of(seed, 'week', week)) * exp(0.15 * normal_of(id, 'own', week))
          * if('${fact}' = 'a tripled channel' and is_now and team = 1 and channel = 1, 3, 1)
          * if('${fact}' = 'more of all' and is_now, 1.6, 1) as mean
        from channels_of, range(${WEEKS}) as w (week)
      ),
      counted as (
        select *, greatest(0, round(mean + sqrt(mean) * normal_of(id, 'count', week)))::int as n from weeks
      ),
      usual as (
        select seed, team, channel, id, week, is_now, id * 1000000 + week * 10000 + k as incident, false as is_burst,
          (${monday} + (week - ${WEEKS}) * ${7 * DAY} + any_of(id, 'at', week * 10000 + k) * ${7 * DAY})::bigint as start_time
        from counted, unnest(range(n)) as i (k)
      ),
      bursts as (
        select seed, team, channel, id, ${WEEKS - 6} as week, true as is_now, id * 1000000 + 990000 + k as incident, true as is_burst,
          (${monday} - 40 * ${DAY} + case '${fact}' when 'a storm' then ${DAY / 2} + any_of(id, 'at', k) * 3600
            else any_of(id, 'at', k) * ${2 * DAY} end)::bigint as start_time
        from channels_of, range(120) as i (k)
        where ('${fact}' = 'a storm' and k < 40) or ('${fact}' = 'a burst of one cause' and team = 1 and channel = 1)
      ),
      both_kinds as (from usual union all from bursts)
    select *,
      case
        when any_of(id, 'severity', incident) < 0.1 then 'Critical'
        when any_of(id, 'severity', incident) < 0.4
          and not ('${fact}' = 'a relabelled severity' and is_now and any_of(id, 'called', incident) < 0.8) then 'Warning'
        else 'Info'
      end as severity,
      80 * exp(0.8 * normal_of(id, 'ack', incident))
        * if('${fact}' = 'a team that misses' and is_now and team = 1 and any_of(id, 'late', incident) < 0.5, 100, 1) as ack_s,
      ack_s + 3000 * exp(normal_of(id, 'close', incident)) * if('${fact}' = 'a slow team' and is_now and team = 1, 3, 1)
        * if('${fact}' = 'slower everywhere' and is_now, 1.6, 1) as close_s,
      start_time % ${DAY} < ${8 * 3_600} or start_time % ${DAY} >= ${23 * 3_600} as is_night,
      10 * (10 * seed + team) + if('${fact}' = 'nights on one person' and is_now and team = 1 and is_night and any_of(id, 'who', incident) < 0.9,
        1, 1 + floor(4 * any_of(id, 'person', incident)))::int as person
    from both_kinds
    where start_time < ${readAt} and not ('${fact}' = 'silence' and start_time >= ${monday - 28 * DAY})`

/** Fills one warehouse with a company for each seed, whose teams are separate. */
export async function plant(
  connection: DuckDBConnection,
  fact: Fact,
  seeds: readonly number[],
): Promise<void> {
  await connection.run(channelsSql(seeds))
  await connection.run(happenedSql(fact))
  await fill(
    connection,
    'incidents',
    `(select {
      'incident_id': incident::varchar, 'num': 'N' || incident, 'title': 'Latency', 'incident_severity': severity,
      'start_time': start_time, 'ack_time': (start_time + ack_s)::bigint, 'close_time': (start_time + close_s)::bigint,
      'progress': 'Closed', 'closer_id': person, 'creator_id': 0, 'alert_cnt': 1, 'alert_event_cnt': 1, 'channel_id': id,
      'account_time_zone': 'UTC', 'created_at': start_time, 'updated_at': (start_time + close_s)::bigint
    }::json as json from happened)`,
  )
  await fill(
    connection,
    'incident_responders',
    `(select { 'incident_id': incident::varchar, 'ordinal': 0, 'person_id': person, 'assigned_at': start_time + 20 }::json as json from happened)`,
  )
  await fill(
    connection,
    'channels',
    `(select { 'channel_id': id, 'channel_name': ['A', 'B', 'C', 'D'][team + 1] || channel || ' ' || seed, 'team_id': 10 * seed + team }::json as json
      from channels_of)`,
  )
  await fill(
    connection,
    'teams',
    `(select distinct { 'team_id': 10 * seed + team, 'team_name': ['A', 'B', 'C', 'D'][team + 1] || ' ' || seed }::json as json from channels_of)`,
  )
  const people = `(select distinct seed, team, 10 * (10 * seed + team) + k as person from channels_of, range(1, 5) as p (k))`
  await fill(
    connection,
    'members',
    `(select { 'member_id': person, 'member_name': 'Person ' || person }::json as json from ${people})`,
  )
  await fill(
    connection,
    'team_members',
    `(select { 'team_id': 10 * seed + team, 'ordinal': person % 10, 'person_id': person }::json as json from ${people})`,
  )
  await insert(connection, 'sync_runs', [{ run_id: 1, status: 'ok', finished_at: readAt, as_of_at: readAt }])
  await insert(connection, 'sync_windows', [
    {
      run_id: 1,
      resource: 'incidents',
      state: 'done',
      window_start: monday - WEEKS * 7 * DAY,
      window_end: readAt,
    },
  ])
  await createSettings(connection, settingsFor(fact))
}
