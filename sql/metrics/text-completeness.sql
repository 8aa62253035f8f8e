-- Documentation of closed incidents that people handled. White space alone does not count as text.
-- question: How completely are incidents documented?
-- key: incident_severity, team_name
-- columns:
-- see acknowledgement: incident_severity, team_name
-- incidents: incidents closed and handled by people
-- with_root_cause: incidents with a root cause
-- with_resolution: incidents with a resolution
-- with_impact: incidents with an impact
-- complete: incidents with all three
-- root_cause_share: with_root_cause / incidents, 0 to 1
-- resolution_share: with_resolution / incidents, 0 to 1
-- impact_share: with_impact / incidents, 0 to 1
-- complete_share: complete / incidents, 0 to 1
-- complete_low: lower limit of its 95% Wilson CI
-- complete_high: upper limit of its 95% Wilson CI
create or replace macro text_completeness(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  population as (
    from incidents_in(of_incidents := of_incidents, started_from := started_from, started_to := started_to)
  ),
  incidents as (select account_id, incident_id, root_cause, resolution, impact from incidents),
  texts as (
    select
      population.incident_severity,
      population.team_name,
      -- trim() removes only blanks, and \s matches only ASCII white space.
      coalesce(regexp_matches(incidents.root_cause, '[^\s\v\pZ\x{FEFF}]'), false) as has_root_cause,
      coalesce(regexp_matches(incidents.resolution, '[^\s\v\pZ\x{FEFF}]'), false) as has_resolution,
      coalesce(regexp_matches(incidents.impact, '[^\s\v\pZ\x{FEFF}]'), false) as has_impact
    from population
    join incidents using (account_id, incident_id)
    where population.is_handled_by_people
  ),
  counted as (
    select
      or_all(incident_severity, grouping(incident_severity)) as incident_severity,
      or_all(team_name, grouping(team_name)) as team_name,
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
      *,
      with_root_cause / incidents as root_cause_share,
      with_resolution / incidents as resolution_share,
      with_impact / incidents as impact_share,
      complete / incidents as complete_share,
      wilson_interval(complete, incidents).low as complete_low,
      wilson_interval(complete, incidents).high as complete_high
    from counted
  )
select * from final
