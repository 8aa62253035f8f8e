-- What became of incidents while they were watched: one row per incident whose content was ever replaced
-- (incident_versions), in the order of time; all others have none. What changed between two reads of the same incident
-- is not seen, so these are lower bounds. Another close_time of what stays Closed is a correction, and no reopening.
-- When something changed is known up to the service's last change of the content that shows it first. A severity that
-- the configuration corrects was that all along.
-- rule: Reopened: counts once, and takes until its last close; the service tells no history, so a reopening is known
--   only where two reads saw it, and the number of them is a lower bound.
-- columns:
-- account_id: owning account
-- incident_id: key of the incident
-- first_seen_at: when its first content was read
-- first_severity: severity at first
-- severity_changes: how often the severity was seen to change
-- severities: those it was seen to have, in the order of time: severity, since_at (null of the first), is_raised (from
--   a lesser one); see severity_at
-- reopen_count: how often it was seen Closed and then not
-- first_closed_at: its close before that, the first that was seen; null if it was not seen reopened
-- closed_s: seconds it was closed before it was reopened, as far as they were seen
with
  incidents as (select * from incidents),
  incident_versions as (select * from incident_versions),
  config_corrections as (select * from config_corrections),
  changed as (select distinct account_id, incident_id from incident_versions),
  contents as (
    select
      account_id, incident_id, incident_severity, progress, close_time, updated_at, _seen_at, _replaced_at
    from incident_versions
    union all
    select account_id, incident_id, incident_severity, progress, close_time, updated_at, _seen_at, null
    from incidents
    semi join changed using (account_id, incident_id)
  ),
  corrected as (
    select contents.* replace (coalesce(config_corrections.value, incident_severity) as incident_severity)
    from contents
    left join config_corrections
      on config_corrections.incident_id = contents.incident_id and config_corrections.field = 'incident_severity'
  ),
  compared as (
    select
      *,
      row_number() over by_time as place,
      least(updated_at, _seen_at) as changed_at,
      lag(incident_severity) over by_time as severity_before,
      lag(close_time) over by_time as closed_before,
      lag(progress) over by_time = 'Closed' and progress <> 'Closed' as is_reopened
    from corrected
    window by_time as (partition by account_id, incident_id order by _replaced_at nulls last, _seen_at)
  ),
  final as (
    select
      account_id,
      incident_id,
      min(_seen_at) as first_seen_at,
      arg_min(incident_severity, place) as first_severity,
      count(*) filter (severity_before <> incident_severity) as severity_changes,
      list(
        {
          'severity': incident_severity,
          'since_at': case when place > 1 then changed_at end,
          'is_raised': place > 1 and severity_rank(incident_severity) < severity_rank(severity_before)
        }
        order by place
      ) filter (place = 1 or severity_before <> incident_severity) as severities,
      count(*) filter (is_reopened) as reopen_count,
      min(closed_before) filter (is_reopened) as first_closed_at,
      coalesce(sum(greatest(0, epoch(changed_at) - epoch(closed_before))) filter (is_reopened), 0) as closed_s
    from compared
    group by account_id, incident_id
  )
select * from final
