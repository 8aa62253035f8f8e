-- What became of an incident while it was watched, one row per incident of the base set: contents the sync has replaced
-- (incident_versions) and the present one, in the order of time. What changed between two reads of the same incident is
-- not seen, so these are lower bounds.
-- columns:
-- account_id: owning account
-- incident_id: key of the incident
-- first_seen_at: when its first content was read
-- first_severity: severity at first
-- severity_changes: how often the severity was seen to change
-- is_severity_changed: it is another severity now than at first
-- reopen_count: how often it was seen Closed and then not
-- is_reopened: reopen_count is not 0, or it is open and has a close_time
with
  incident_times as (select * from incident_times),
  incidents as (select * from incidents),
  histories as (select * from incident_changes),
  final as (
    select
      incident_times.account_id,
      incident_times.incident_id,
      coalesce(histories.first_seen_at, incidents._seen_at) as first_seen_at,
      coalesce(histories.first_severity, incident_times.incident_severity) as first_severity,
      coalesce(histories.severity_changes, 0) as severity_changes,
      coalesce(histories.first_severity <> incident_times.incident_severity, false) as is_severity_changed,
      coalesce(histories.reopen_count, 0) as reopen_count,
      coalesce(histories.reopen_count, 0) > 0
        or (incident_times.is_open and incident_times.close_time is not null) as is_reopened
    from incident_times
    join incidents using (account_id, incident_id)
    left join histories using (account_id, incident_id)
  )
select * from final
