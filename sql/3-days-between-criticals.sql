-- Days between Critical incidents in each team and in all; see critical_gaps. More days are better. The time since the
-- last one is not over, so it is shown apart and in no statistic.
-- columns:
-- started_from: parameter: only incidents started then or later; null is all
-- started_to: parameter: only incidents started before; null is all
-- of_incidents: parameter: relation to speak of, with the columns of incident_times; a CTE will do
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, or `(all)`
-- criticals: Critical incidents
-- gaps: times between two of them
-- median_days: median of these, in days of 24 hours
-- mean_days: their mean
-- longest_days: the longest
-- days_since_last: as_of - start of the last one, in days; negative when it started after as_of
create or replace macro days_between_criticals(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  everything as (select * from query_table(of_incidents)),
  population as (
    select * from everything where is_within(start_time, started_from, started_to)
  ),
  gaps as (select * from critical_gaps(of_incidents := 'population')),
  seen as (select max(as_of_at) as as_of_at from everything),
  final as (
    select
      gaps.team_name,
      count(*) as criticals,
      count(gaps.days_since_previous) as gaps,
      median(gaps.days_since_previous) as median_days,
      avg(gaps.days_since_previous) as mean_days,
      max(gaps.days_since_previous) as longest_days,
      (epoch(any_value(seen.as_of_at)) - epoch(max(gaps.start_time))) / 86400 as days_since_last
    from gaps
    cross join seen
    group by gaps.team_name
  )
select * from final
