-- Time from each Critical incident to the previous one, by team and for all teams. If Critical incidents are rare, the
-- days between them are more informative than weekly counts.
-- question: How long is it between Criticals in each team?
-- key: account_id, team_name, incident_id
-- columns:
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, or `(all)`
-- account_id: owning account
-- incident_id: key of the Critical incident
-- start_time: start of the incident
-- previous_start_time: start of the previous Critical, or null for the first
-- days_since_previous: days of 24 hours between both starts
create or replace macro critical_gaps(of_incidents := 'incident_times') as table
with
  population as (select * from query_table(of_incidents)),
  criticals as (
    select unnest(['(all)', team_name]) as team_name, account_id, incident_id, start_time
    from population
    where incident_severity = 'Critical' and start_time is not null
  ),
  ordered as (
    select
      *,
      lag(start_time) over (partition by team_name order by start_time, account_id, incident_id) as previous_start_time
    from criticals
  ),
  final as (
    select *, (epoch(start_time) - epoch(previous_start_time)) / 86400 as days_since_previous from ordered
  )
select * from final
