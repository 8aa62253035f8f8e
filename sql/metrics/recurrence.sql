-- Repeats (see repeats_of), reopened incidents and changed severities (see incident_changes). Changes between two reads
-- of an incident are not visible, so reopened and severity_changed are lower bounds.
-- question: Which incidents come back, are reopened or get another severity?
-- key: incident_severity, team_name
-- columns:
-- see acknowledgement: incident_severity, team_name
-- incidents: all incidents
-- with_key: incidents with a dedup_key
-- repeats: started soon after an incident with the same dedup_key was closed
-- reopened: seen as Closed in one read and not in a later one, or open with a close_time
-- severity_changed: current severity differs from the first one
-- repeat_share: repeats / with_key, 0 to 1
-- repeat_low: lower limit of its 95% Wilson CI
-- repeat_high: upper limit of its 95% Wilson CI
-- reopened_share: reopened / incidents, 0 to 1
create or replace macro recurrence(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  population as (
    from incidents_in(of_incidents := of_incidents, started_from := started_from, started_to := started_to)
  ),
  repeats as (
    select account_id, incident_id, is_repeat
    from repeats_of(of_incidents := of_incidents, only_soon := true)
  ),
  incident_changes as (select * from incident_changes),
  counted as (
    select
      or_all(incident_severity, grouping(incident_severity)) as incident_severity,
      or_all(team_name, grouping(team_name)) as team_name,
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
      *,
      repeats / nullif(with_key, 0) as repeat_share,
      wilson_interval(repeats, with_key).low as repeat_low,
      wilson_interval(repeats, with_key).high as repeat_high,
      reopened / incidents as reopened_share
    from counted
  )
select * from final
