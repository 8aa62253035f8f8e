-- Figures for monitors, by severity and team, for incidents that started in the last `days` days before as_of. The
-- teams with the most incidents in 28 days have their own rows, and all others are in `(other)`. Times are those of
-- time_measures. Shares within target are those of target_attainment, by the targets of each team. Open incidents are
-- included regardless of their start.
-- columns:
-- days: parameter: number of days. Teams are always selected by 28 days
-- most_teams: parameter: number of teams with their own rows
-- incident_severity: configured severity, or `(all)`
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, `(other)` for the smaller ones, or
--   `(all)`
-- incidents: incidents that started in these days, including muted ones
-- open: open incidents, regardless of their start
-- ack_n: incidents behind the times to acknowledge
-- ack_median_s: median time to acknowledge (MTTA) in seconds
-- ack_p90_s: 90th percentile in seconds, or null below n = {p90_min_n}
-- ack_in_time: share acknowledged within the target, 0 to 1, or null if no incident has a result
-- resolve_n: incidents behind the times to resolve
-- resolve_median_s: median time to resolve (MTTR) of closed incidents handled by people, in seconds
-- resolve_p90_s: 90th percentile in seconds, or null below n = {p90_min_n}
-- resolve_in_time: share resolved within the target, 0 to 1, or null if no incident has a result
create or replace macro monitor_figures(days := 7, most_teams := 50) as table
with
  known as (select * from incident_times),
  recent_own as (select * from known where start_time >= as_of_at - to_days(days)),
  shown_teams as (
    select team_name
    from known
    where start_time >= as_of_at - to_days(28)
    group by team_name
    order by count(*) desc, team_name
    limit most_teams
  ),
  shown as (
    select
      * replace (
        case when team_name in (select team_name from shown_teams) then team_name else '(other)' end as team_name
      )
    from known
  ),
  recent as (select * from shown where start_time >= as_of_at - to_days(days)),
  counted as (
    select
      or_all(incident_severity, grouping(incident_severity)) as incident_severity,
      or_all(team_name, grouping(team_name)) as team_name,
      count(*) filter (start_time >= as_of_at - to_days(days)) as incidents,
      count(*) filter (is_open) as open
    from shown
    group by cube (incident_severity, team_name)
    having count(*) > 0
  ),
  times as (select * from time_measures(of_incidents := 'recent')),
  acknowledged as (select * from times where measure = 'time_to_ack'),
  resolved as (select * from times where measure = 'time_to_close_handled'),
  -- A team in `(other)` keeps its own targets.
  judged as (
    select
      incident_severity,
      case
        when team_name = '(all)' or team_name in (select team_name from shown_teams) then team_name else '(other)'
      end as team_name,
      sum(met) filter (measure = 'acknowledge') / nullif(sum(met + missed) filter (measure = 'acknowledge'), 0)
        as ack_in_time,
      sum(met) filter (measure = 'resolve') / nullif(sum(met + missed) filter (measure = 'resolve'), 0)
        as resolve_in_time
    from target_attainment(of_incidents := 'recent_own')
    group by all
  ),
  final as (
    select
      counted.incident_severity,
      counted.team_name,
      counted.incidents,
      counted.open,
      coalesce(acknowledged.n, 0) as ack_n,
      acknowledged.median_s as ack_median_s,
      acknowledged.p90_s as ack_p90_s,
      judged.ack_in_time,
      coalesce(resolved.n, 0) as resolve_n,
      resolved.median_s as resolve_median_s,
      resolved.p90_s as resolve_p90_s,
      judged.resolve_in_time
    from counted
    left join acknowledged using (incident_severity, team_name)
    left join resolved using (incident_severity, team_name)
    left join judged using (incident_severity, team_name)
  )
select * from final
