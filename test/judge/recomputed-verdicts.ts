/** Recomputes the verdicts of report cards, with one SQL query that does not use reports. */
const severe = `incident_severity in ('Critical', 'Warning')`
/** The condition of each counting card of the default reports, for incidents of either period. */
const counts: Record<string, string> = {
  Incidents: 'true',
  'High-severity incidents': severe,
  'Critical and Warning': severe,
  'Critical incidents': `incident_severity = 'Critical'`,
  Critical: `incident_severity = 'Critical'`,
  Warning: `incident_severity = 'Warning'`,
  Info: `incident_severity = 'Info'`,
}
const durations: Record<string, string> = {
  'Time to acknowledge': 'time_to_ack',
  'Time to resolve': 'time_to_close_handled',
  'Time to resolve (all closed)': 'time_to_close',
}
const shares: Record<string, [hits: string, of: string]> = {
  Acknowledged: ['coalesce(is_acknowledged and time_to_ack_s <= watched_s, false)', 'not is_muted'],
  'Outside working hours': [`hour_band(start_time at time zone 'UTC') <> 'work'`, 'true'],
  'Critical share': [`incident_severity = 'Critical'`, 'true'],
}

/** Start, end and previous start of a period, as SQL. */
interface Span {
  start: string
  end: string
  before: string
}

/** One query for all cards. Its rows have `label`, `verdict` and the interval of the change. */
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
  return `known as (
      select greatest(0, least(12, floor((epoch(${before}) - epoch(min(covered_from))) / 604800))) as weeks from known_since),
    days as (select epoch(${end} - ${start}) / 86400 as days),
    ever as materialized (
      select *, ${placed('start_time', span)}, floor((epoch(${before}) - epoch(start_time) - 1e-6) / 604800) as weeks_back,
        case when is_now then 2 when weeks_back < 0 then 1 else 0 end as stretch,
        epoch(as_of_at) - epoch(${end}) - epoch(start_time) + case stretch
          when 2 then epoch(${end}) when 1 then epoch(${start})
          else epoch(${before}) - 86400 * days * floor(weeks_back / (days / 7)) end as watched_s
      from incident_times, known, days where start_time < ${end} and weeks_back < weeks),
    mine as (from ever where stretch > 0),
    severe_known as (from ever where ${severe}),
    severe_ever as (from incident_times where ${severe}),
    ${changes('changes', 'incident_times')}, ${changes('severe_changes', 'severe_ever')},`
}

function durationsSql(): string {
  return `times as (${union([
    ...Object.entries(durations).map(
      ([label, measure]) => `select '${label}' as label, * from changes where measure = '${measure}'`,
    ),
    `select 'High-severity time to resolve', * from severe_changes where measure = 'time_to_close_handled'`,
  ])}),`
}

function countsSql(span: Span): string {
  const { end, before } = span
  const listed = (labels: readonly string[]) => labels.map((label) => `('${label}')`).join(', ')
  return `events as (${union([
    ...Object.entries(counts).map(
      ([label, which]) => `select '${label}' as label, is_now, place from mine where ${which}`,
    ),
    `select 'Pages at night', ${placed('paged_at', span)}
       from page_starts(period_from := ${before}, period_to := ${end}) where band = 'sleep'`,
  ])}),
    weeks as (
      select label, is_now, place, n as week_n, sum(n) over (partition by label, is_now) as n from (
        select labels.label, sides.is_now, places.place, count(events.label) as n
        from (values ${listed([...Object.keys(counts), 'Pages at night'])}) as labels (label)
        cross join (values (true), (false)) as sides (is_now)
        cross join range(0, (select (days / 7)::bigint from days)) as places (place)
        left join events using (label, is_now, place)
        group by all)),
    earlier as (select * replace (weeks_back as place) from ever where stretch = 0),
    earlier_events as (${union([
      ...Object.entries(counts).map(
        ([label, which]) => `select '${label}' as label, place from earlier where ${which}`,
      ),
      `select 'Pages at night', floor((epoch(${before}) - epoch(paged_at) - 1e-6) / 604800)
       from page_starts(period_from := ${before} - interval 84 day, period_to := ${before}) where band = 'sleep'`,
    ])}),
    earlier_weeks as (
      select label, list({'n': n, 'days': 7e0} order by place desc) as weeks from (
        select labels.label, places.place, count(events.label) as n
        from (values ${listed([...Object.keys(counts), 'Pages at night'])}) as labels (label)
        cross join range(0, greatest(0, (select weeks from known))::bigint) as places (place)
        left join earlier_events as events using (label, place)
        group by all)
      group by label having sum(n) > 0),
    sides as (
      select label, is_now, any_value(n) as n, is_now::int + 1 as stretch, list({'n': week_n, 'days': 7e0} order by place) as weeks
      from weeks group by label, is_now
      union all
      select label, null, null, 0, weeks from earlier_weeks),
    counted as (
      select label, count_change(
          max(n) filter (is_now), any_value(days), max(n) filter (not is_now), any_value(days), count_dispersion(list(weeks order by stretch))
        ) as c
      from sides cross join days group by label),`
}

function sharesSql(): string {
  return `targets as (from incident_targets(of_incidents := 'severe_known') join ever using (account_id, incident_id)),
    trials as (${union([
      ...Object.entries(shares).map(
        ([label, [hits, of]]) =>
          `select '${label}' as label, stretch, weeks_back, place, ${hits} as hit from ever where ${of}`,
      ),
      `select 'High-severity acknowledged within target', stretch, weeks_back, place, coalesce(ack_outcome = 'met' and time_to_ack_s <= watched_s, false)
       from targets
       where ack_outcome in ('met', 'missed') and (watched_s > ack_target_s or coalesce(time_to_ack_s <= watched_s, false))`,
    ])}),
    parts as (
      select label, stretch, sum(hits) as hits, sum(n) as n, list({'hits': hits, 'n': n} order by place) as weeks from (
        select label, stretch, if(stretch = 0, -weeks_back, place) as place, count(*) filter (hit) as hits, count(*) as n
        from trials group by all)
      group by all),
    shares as (
      select label, share_change(
          max(hits) filter (stretch = 2), max(n) filter (stretch = 2), max(hits) filter (stretch = 1), max(n) filter (stretch = 1),
          share_dispersion(list(weeks order by stretch))
        ) as c
      from parts group by label)`
}
