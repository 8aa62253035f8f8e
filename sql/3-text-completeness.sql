-- What was written down about incidents that people handled and closed. A text of blanks is none.
-- columns:
-- started_from: parameter: only incidents started then or later; null is all
-- started_to: parameter: only incidents started before; null is all
-- of_incidents: parameter: relation to speak of, with the columns of incident_times; a CTE will do
-- incident_severity: configured severity, or `(all)`
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, or `(all)`
-- incidents: closed and handled by people
-- with_root_cause: of them, with a root cause
-- root_cause_share: with_root_cause / incidents, 0 to 1
-- with_resolution: of them, with a resolution
-- resolution_share: with_resolution / incidents, 0 to 1
-- with_impact: of them, with an impact
-- impact_share: with_impact / incidents, 0 to 1
-- complete: with all three
-- complete_share: complete / incidents, 0 to 1
create or replace macro text_completeness(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  population as (
    select * from query_table(of_incidents) where is_within(start_time, started_from, started_to)
  ),
  texts as (
    select
      incident_severity,
      team_name,
      coalesce(trim(root_cause), '') <> '' as has_root_cause,
      coalesce(trim(resolution), '') <> '' as has_resolution,
      coalesce(trim(impact), '') <> '' as has_impact
    from population
    where is_handled_by_people
  ),
  counted as (
    select
      case when grouping(incident_severity) = 1 then '(all)' else incident_severity end as incident_severity,
      case when grouping(team_name) = 1 then '(all)' else team_name end as team_name,
      count(*) as incidents,
      count(*) filter (has_root_cause) as with_root_cause,
      count(*) filter (has_resolution) as with_resolution,
      count(*) filter (has_impact) as with_impact,
      count(*) filter (has_root_cause and has_resolution and has_impact) as complete
    from texts
    group by cube (incident_severity, team_name)
    having count(*) > 0
  ),
  final as (
    select
      incident_severity,
      team_name,
      incidents,
      with_root_cause,
      with_root_cause / incidents as root_cause_share,
      with_resolution,
      with_resolution / incidents as resolution_share,
      with_impact,
      with_impact / incidents as impact_share,
      complete,
      complete / incidents as complete_share
    from counted
  )
select * from final
