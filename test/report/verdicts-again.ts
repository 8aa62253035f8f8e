/** The verdicts of the cards again, by one query that knows nothing of reports. */
const severe = `incident_severity in ('Critical', 'Warning')`
/** What each card of the default reports counts, of the incidents `mine` that started in either period. */
const counts: Record<string, string> = {
  Incidents: 'true',
  'Severe incidents': severe,
  'Critical and Warning': severe,
  'Critical incidents': `incident_severity = 'Critical'`,
  Critical: `incident_severity = 'Critical'`,
  Warning: `incident_severity = 'Warning'`,
  Info: `incident_severity = 'Info'`,
}
const durations: Record<string, string> = {
  'Time to acknowledge': 'time_to_ack',
  'Time to resolve': 'time_to_close_handled',
  'Resolve, all closed': 'time_to_close',
}
const shares: Record<string, [hits: string, of: string]> = {
  Acknowledged: ['coalesce(is_acknowledged and time_to_ack_s <= watched_s, false)', 'not is_muted'],
  'Outside working hours': [`hour_band(start_time at time zone 'UTC') <> 'work'`, 'true'],
  'Share of Critical': [`incident_severity = 'Critical'`, 'true'],
}

/** The period and the one before, as texts of SQL. */
interface Span {
  start: string
  end: string
  before: string
}

/** One query for all of them: rows of `label`, `verdict` and the interval of the change. */
export function sqlOf(from: string, to: string): string {
  const at = (day: string) => `timestamptz '${day} 00:00:00+00'`
  const [start, end] = [at(from), at(to)]
  const span = { start, end, before: `(${start} - (${end} - ${start}))` }
  return `with ${chosenSql(span)} ${durationsSql()} ${countsSql(span)} ${sharesSql()}
    select label, verdict, ratio_low - 1 as low, ratio_high - 1 as high from times
    union all
    select label, coalesce(c.verdict, 'about the same'), c.low - 1, c.high - 1
    from counted
    union all
    select label, c.verdict, c.low, c.high
    from shares`
}

const union = (parts: readonly string[]) => parts.join(' union all ')

const placed = (column: string, { start, end, before }: Span) =>
  `${column} >= ${start} as is_now, if(is_now, week_of_period(${column}, ${start}, ${end}), week_of_period(${column}, ${before}, ${start})) as place`

function chosenSql(span: Span): string {
  const { start, end, before } = span
  const changes = (name: string, of: string) =>
    `${name} as (from time_changes(period_from := ${start}, period_to := ${end}, of_incidents := '${of}')
      where incident_severity = '(all)' and team_name = '(all)')`
  return `mine as materialized (
      select *, ${placed('start_time', span)},
        epoch(as_of_at) - epoch(start_time) - if(is_now, 0, epoch(${end}) - epoch(${start})) as watched_s
      from incident_times where start_time >= ${before} and start_time < ${end}),
    severe as (from mine where ${severe}),
    ${changes('changes', 'mine')}, ${changes('severe_changes', 'severe')},`
}

function durationsSql(): string {
  return `times as (${union([
    ...Object.entries(durations).map(
      ([label, measure]) => `select '${label}' as label, * from changes where measure = '${measure}'`,
    ),
    `select 'Severe: Time to resolve', * from severe_changes where measure = 'time_to_close_handled'`,
  ])}),`
}

function countsSql(span: Span): string {
  const { start, end, before } = span
  const listed = (labels: readonly string[]) => labels.map((label) => `('${label}')`).join(', ')
  return `events as (${union([
    ...Object.entries(counts).map(
      ([label, which]) => `select '${label}' as label, is_now, place from mine where ${which}`,
    ),
    `select 'Calls at night', ${placed('paged_at', span)}
       from page_starts(period_from := ${before}, period_to := ${end}) where band = 'sleep'`,
  ])}),
    days as (select epoch(${end} - ${start}) / 86400 as days),
    weeks as (
      select label, is_now, n as week_n, sum(n) over (partition by label, is_now) as n from (
        select labels.label, sides.is_now, places.place, count(events.label) as n
        from (values ${listed([...Object.keys(counts), 'Calls at night'])}) as labels (label)
        cross join (values (true), (false)) as sides (is_now)
        cross join range(0, (select (days / 7)::bigint from days)) as places (place)
        left join events using (label, is_now, place)
        group by all)),
    earlier as (
      select *, floor((epoch(${before}) - epoch(start_time) - 1e-6) / 604800) as place
      from incident_times where start_time < ${before} and start_time >= ${before} - interval 84 day),
    earlier_events as (${union(
      Object.entries(counts).map(
        ([label, which]) => `select '${label}' as label, place from earlier where ${which}`,
      ),
    )}),
    known as (
      select least(12, floor((epoch(${before}) - epoch(coalesce(
        (select min(window_start) from sync_windows where resource = 'incidents' and state = 'done'), (select min(start_time) from incident_times)
      ))) / 604800)) as weeks),
    earlier_weeks as (
      select label, list({'n': n, 'days': 7e0}) as weeks from (
        select labels.label, places.place, count(events.label) as n
        from (values ${listed(Object.keys(counts))}) as labels (label)
        cross join range(0, greatest(0, (select weeks from known))::bigint) as places (place)
        left join earlier_events as events using (label, place)
        group by all)
      group by label having sum(n) > 0),
    sides as (
      select label, is_now, any_value(n) as n, list({'n': week_n, 'days': 7e0}) as weeks from weeks group by all
      union all
      select label, null, null, weeks from earlier_weeks),
    counted as (
      select label, count_change(
          max(n) filter (is_now), any_value(days), max(n) filter (not is_now), any_value(days), count_dispersion(list(weeks))
        ) as c
      from sides cross join days group by label),`
}

function sharesSql(): string {
  return `targets as (from incident_targets(of_incidents := 'severe') join mine using (account_id, incident_id)),
    trials as (${union([
      ...Object.entries(shares).map(
        ([label, [hits, of]]) =>
          `select '${label}' as label, is_now, place, ${hits} as hit from mine where ${of}`,
      ),
      `select 'Acknowledged in time', is_now, place, coalesce(ack_outcome = 'met' and time_to_ack_s <= watched_s, false)
       from targets
       where ack_outcome is not null and (watched_s > ack_target_s or coalesce(time_to_ack_s <= watched_s, false))`,
    ])}),
    parts as (
      select label, is_now, sum(hits) as hits, sum(n) as n, list({'hits': hits, 'n': n}) as weeks from (
        select label, is_now, place, count(*) filter (hit) as hits, count(*) as n from trials group by all)
      group by all),
    shares as (
      select label, share_change(
          max(hits) filter (is_now), max(n) filter (is_now), max(hits) filter (not is_now), max(n) filter (not is_now),
          share_dispersion(list(weeks))
        ) as c
      from parts group by label)`
}
