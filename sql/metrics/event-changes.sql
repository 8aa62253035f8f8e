-- Changes since a configured event (`reporting.events`) in time to acknowledge, time to resolve and number of
-- incidents. The affected teams are compared with all other teams, which are the teams that no event affected within
-- these weeks. Up to 13 full weeks since the event are compared with the same number before. Up to 12 earlier weeks add
-- to the estimate of the variation. All weeks have the same follow-up time, see time_changes. Open incidents are
-- right-censored, even in medians. The time to acknowledge follows the configuration (config_policies, see
-- ack_by_policy). See event_times, event_counts and event_verdicts.
-- columns:
-- of_event: parameter: name of the event, null for all
-- event: name of the event
-- day: day of the event
-- timezone: zone of the day, from the configuration
-- starts_at: start of the day
-- teams: affected teams, or null for all
-- measure: `time_to_ack`, `time_to_resolve` (see time_to_resolve_s), or `incidents_a_week`
-- length: full weeks since the event, at most 13
-- weeks_known: full weeks before the event that were read
-- tellable_from: time from which there is a result, four weeks after the event
-- control_teams: number of other teams
-- beside: other events within these weeks that affected the same teams
-- n: incidents of the affected teams since the event, including open ones
-- n_before: incidents of the affected teams in the same number of weeks before, including those open then
-- value: median since the event in seconds, or incidents per week
-- value_before: median before the event in seconds, or incidents per week
-- has_control: the other teams have 8 or more both since the event and before
-- control_n: incidents of the other teams since the event
-- control_value: median of the other teams since the event in seconds, or incidents per week
-- control_before: median of the other teams before the event in seconds, or incidents per week
-- ratio: value over value_before. If there are other teams, it is divided by their ratio
-- see event_counts: ratio_low, ratio_high
-- p: p value of the shift of the weeks
-- step_p: p value of a step in addition to a line through all weeks, see week_steps
-- trend_p: p value of the trend of the weeks before
-- see duration_changes: lag
-- see event_verdicts: direction, could_show
-- code: see event_verdicts, or `early` (less than four weeks since the event), or `unread` (less than three weeks
--   before it)
create or replace macro event_changes(of_event := null, of_incidents := 'incident_times') as table
with
  -- Selects only these columns, because others such as `week` would conflict below.
  population as (
    select
      account_id, incident_id, team_name, start_time, is_muted, is_open, ack_time, closed_at, closer_id,
      time_to_close_s, time_to_resolve_s
    from query_table(of_incidents)
  ),
  config_policies as (select * from config_policies),
  policies as (
    select coalesce(any_value(value), 'exclude') as ack from config_policies where name = 'ack'
  ),
  -- Only one of the policies needs these two relations.
  first_answers as (select * from first_answers where (select ack = 'first_action' from policies)),
  incident_automation as (select * from incident_automation where (select ack = 'first_action' from policies)),
  answered as (
    select
      population.*,
      seconds_to_answer(
        start_time,
        ack_by_policy(
          policies.ack,
          if(did.is_acknowledged_by_automation, null, ack_time),
          first_answers.answered_at,
          closed_at,
          if(did.is_resolved_by_automation, 0, closer_id)
        ),
        is_muted
      ) as answered_s
    from population
    cross join policies
    left join first_answers using (account_id, incident_id)
    left join incident_automation as did using (account_id, incident_id)
  ),
  events as (
    select name, day, timezone, team_names as teams, timezone(timezone, cast(day as timestamp)) as starts_at
    from config_events
  ),
  as_of as (select * from as_of),
  known_since as (select * from known_since),
  chosen as (
    select
      events.*,
      cast(greatest(0, least(13, floor((epoch(read_at.as_of_at) - epoch(starts_at)) / 604800))) as bigint) as length,
      cast(greatest(0, floor((epoch(starts_at) - epoch(known.covered_from)) / 604800)) as bigint) as weeks_known,
      least(weeks_known, length + 12) as earliest,
      starts_at - to_seconds(604800 * earliest) as window_from,
      starts_at + to_seconds(604800 * length) as window_to,
      epoch(read_at.as_of_at) - epoch(window_to) as after_s
    from events
    cross join (select min(as_of_at) as as_of_at from as_of) as read_at
    cross join (select min(covered_from) as covered_from from known_since) as known
    where of_event is null or events.name = of_event
  ),
  -- Other events within these weeks.
  besides as (
    select
      chosen.name as name,
      list(other.name order by other.starts_at, other.name)
        filter (other.teams is null or chosen.teams is null or list_has_any(other.teams, chosen.teams)) as beside,
      coalesce(flatten(list(other.teams)), []) as teams_beside
    from chosen
    join events as other
      on other.name <> chosen.name and other.starts_at >= window_from and other.starts_at < window_to
    group by chosen.name
  ),
  sided as (
    select
      chosen.name as event,
      answered.team_name as team_name,
      chosen.teams is null or list_contains(chosen.teams, answered.team_name) as is_touched,
      chosen.length as length,
      cast(floor((epoch(answered.start_time) - epoch(chosen.starts_at)) / 604800) as bigint) as week,
      -- Each incident is followed up until the end of its block of `length` weeks, plus after_s.
      after_s - epoch(answered.start_time) + epoch(chosen.starts_at)
        + 604800 * length * if(week >= 0, 1, -((-1 - week) // length)) as watched_s,
      answered.is_muted,
      answered.is_open or answered.time_to_close_s > watched_s as is_open_then,
      answered.answered_s,
      answered.time_to_resolve_s
    from answered
    join chosen on answered.start_time >= chosen.window_from and answered.start_time < chosen.window_to
    left join besides on besides.name = chosen.name
    where is_touched
      or not (
        starts_with(answered.team_name, '(')
        or coalesce(list_contains(besides.teams_beside, answered.team_name), false)
      )
  ),
  measured as (
    select
      event, team_name, is_touched, week, watched_s, is_open_then,
      unnest([
        {'measure': 'time_to_ack', 'seconds': answered_s},
        {'measure': 'time_to_resolve', 'seconds': time_to_resolve_s}
      ], recursive := true)
    from sided
    where not is_muted
  ),
  timed as (
    select
      {'event': event, 'measure': measure} as series,
      team_name,
      is_touched,
      week,
      coalesce(seconds > watched_s, true) as is_open,
      cast(if(is_open, watched_s, seconds) as double) as seconds,
      count(*) as n
    from measured
    where watched_s >= 0 and (coalesce(seconds <= watched_s, false) or is_open_then)
    group by all
  ),
  counted as (
    select
      {'event': grid.event, 'measure': 'incidents_a_week'} as series,
      grid.is_touched,
      grid.week,
      coalesce(found.n, 0) as n
    from (
      select name as event, unnest(range(-earliest, length)) as week, sides.is_touched
      from chosen
      cross join (values (true), (false)) as sides (is_touched)
    ) as grid
    left join (select event, is_touched, week, count(*) as n from sided group by all) as found
      on found.event = grid.event and found.is_touched = grid.is_touched and found.week = grid.week
  ),
  changes as (
    from event_times(of_times := 'timed')
    union all by name
    from event_counts(of_counts := 'counted')
  ),
  judged as (from event_verdicts(of_changes := 'changes')),
  controls as (
    select event, count(distinct team_name) as control_teams from sided where not is_touched group by event
  ),
  final as (
    select
      chosen.name as event,
      chosen.day as day,
      chosen.timezone as timezone,
      chosen.starts_at as starts_at,
      chosen.teams as teams,
      measures.measure as measure,
      chosen.length as length,
      chosen.weeks_known as weeks_known,
      chosen.starts_at + to_seconds(4 * 604800) as tellable_from,
      coalesce(controls.control_teams, 0) as control_teams,
      coalesce(besides.beside, []) as beside,
      coalesce(n, 0) as n,
      coalesce(n_before, 0) as n_before,
      value,
      value_before,
      coalesce(has_control, false) as has_control,
      control_n,
      control_value,
      control_before,
      -- Rounded, because the last digits of a sum depend on the order in which rows are stored.
      round(ratio, 9) as ratio,
      round(ratio_low, 9) as ratio_low,
      round(ratio_high, 9) as ratio_high,
      round(shift_p, 9) as p,
      round(step_p, 9) as step_p,
      round(trend_p, 9) as trend_p,
      round(lag, 9) as lag,
      coalesce(direction, 0) as direction,
      round(could_show, 9) as could_show,
      case when chosen.weeks_known < 3 then 'unread' when chosen.length < 4 then 'early' else coalesce(code, 'none') end
        as code
    from chosen
    cross join (
      values ('time_to_ack', 1), ('time_to_resolve', 2), ('incidents_a_week', 3)
    ) as measures (measure, place)
    left join judged on judged.series = {'event': chosen.name, 'measure': measures.measure}
    left join controls on controls.event = chosen.name
    left join besides on besides.name = chosen.name
    order by chosen.starts_at, chosen.name, measures.place
  )
select * from final
