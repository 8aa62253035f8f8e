-- Figures for monitors: of the incidents that started in the last so many days before the data was read, by severity
-- and team; the teams to which most came in 28 days, all others together as `(other)`. Times are those of
-- time_measures, what was in time is that of target_attainment, by the targets of each team. Open are all that are,
-- whenever they started.
-- columns:
-- days: parameter: so many days; 28 at most tell the teams
-- most_teams: parameter: so many teams have rows of their own
-- incident_severity: configured severity, or `(all)`
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, `(other)` for the smaller ones, or
--   `(all)`
-- incidents: that started in these days, muted ones included
-- open: open ones, whenever they started
-- ack_n: incidents behind the times to acknowledge
-- ack_median_s: median time to acknowledge (MTTA), seconds
-- ack_p90_s: 90th percentile, seconds; null below n = {p90_min_n}
-- ack_in_time: share acknowledged within the target, 0 to 1; null without any
-- resolve_n: incidents behind the times to resolve
-- resolve_median_s: median time to resolve (MTTR) of those closed, handled by people, seconds
-- resolve_p90_s: 90th percentile, seconds; null below n = {p90_min_n}
-- resolve_in_time: share resolved within the target, 0 to 1; null without any
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
  -- A team keeps its own targets, also among the others.
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
