-- What came back: repeats (see incident_repeats), reopened ones and changed severities (see incident_history).
-- columns:
-- started_from: parameter: only incidents started then or later; null is all
-- started_to: parameter: only incidents started before; null is all
-- of_incidents: parameter: relation to speak of, with the columns of incident_times; a CTE will do
-- incident_severity: configured severity, or `(all)`
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, or `(all)`
-- incidents: all incidents
-- with_key: of them, those with a dedup_key
-- repeats: started soon after an incident with the same dedup_key was closed
-- repeat_share: repeats / with_key, 0 to 1
-- reopened: were seen Closed and then not
-- reopened_share: reopened / incidents, 0 to 1
-- severity_changed: have another severity now than at first
create or replace macro recurrence(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  population as (
    select * from query_table(of_incidents) where is_within(start_time, started_from, started_to)
  ),
  repeats as (
    select account_id, incident_id, is_repeat
    from repeats_of(of_incidents := of_incidents, only_soon := true)
  ),
  incident_changes as (select * from incident_changes),
  counted as (
    select
      case when grouping(incident_severity) = 1 then '(all)' else incident_severity end as incident_severity,
      case when grouping(team_name) = 1 then '(all)' else team_name end as team_name,
      count(*) as incidents,
      count(repeats.is_repeat) as with_key,
      count(*) filter (repeats.is_repeat) as repeats,
      count(*) filter (incident_changes.reopen_count > 0 or is_open and close_time is not null) as reopened,
      count(*) filter (incident_changes.first_severity <> incident_severity) as severity_changed
    from population
    left join repeats using (account_id, incident_id)
    left join incident_changes using (account_id, incident_id)
    group by cube (incident_severity, team_name)
    having count(*) > 0
  ),
  final as (
    select
      incident_severity,
      team_name,
      incidents,
      with_key,
      repeats,
      repeats / nullif(with_key, 0) as repeat_share,
      reopened,
      reopened / incidents as reopened_share,
      severity_changed
    from counted
  )
select * from final
