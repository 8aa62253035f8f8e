-- What became of incidents while they were watched: one row per incident whose content was ever replaced
-- (incident_versions), in the order of time; all others have none. What changed between two reads of the same incident
-- is not seen, so these are lower bounds.
-- columns:
-- account_id: owning account
-- incident_id: key of the incident
-- first_seen_at: when its first content was read
-- first_severity: severity at first
-- severity_changes: how often the severity was seen to change
-- reopen_count: how often it was seen Closed and then not
with
  incidents as (select * from incidents),
  incident_versions as (select * from incident_versions),
  changed as (select distinct account_id, incident_id from incident_versions),
  contents as (
    select account_id, incident_id, incident_severity, progress, _seen_at, _replaced_at
    from incident_versions
    union all
    select account_id, incident_id, incident_severity, progress, _seen_at, null
    from incidents
    semi join changed using (account_id, incident_id)
  ),
  compared as (
    select
      *,
      lag(incident_severity) over by_time as severity_before,
      lag(progress) over by_time as progress_before
    from contents
    window by_time as (partition by account_id, incident_id order by _replaced_at nulls last, _seen_at)
  ),
  final as (
    select
      account_id,
      incident_id,
      min(_seen_at) as first_seen_at,
      arg_min(incident_severity, coalesce(_replaced_at, timestamptz 'infinity')) as first_severity,
      count(*) filter (severity_before <> incident_severity) as severity_changes,
      count(*) filter (progress_before = 'Closed' and progress <> 'Closed') as reopen_count
    from compared
    group by account_id, incident_id
  )
select * from final
