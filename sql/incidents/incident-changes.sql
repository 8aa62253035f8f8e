-- Changes in incidents between reads, one row per incident whose content was ever replaced (see incident_versions).
-- Changes between two reads of an incident are not visible, so the counts are lower bounds. A new close_time of an
-- incident that stays Closed is a correction, not a reopening. The time of a change is the `updated_at` of the first
-- content that shows it. A severity corrected in the configuration applies to the whole history.
-- rule: Reopened: included once, measured to the last close. The service keeps only the current state, so a reopening
--   is detected only if one sync read the incident as closed and a later one as open. The number of reopenings is
--   therefore a lower bound.
-- columns:
-- account_id: owning account
-- incident_id: key of the incident
-- first_seen_at: when the first content was read
-- first_severity: severity in the first content
-- severity_changes: number of severity changes that were seen
-- severities: severities in order of time, each with severity, since_at (null for the first) and is_raised (the
--   previous one was lower), see severity_at
-- reopen_count: number of times it was Closed in one read and not in the next
-- first_closed_at: close_time before the first reopening, or null if no reopening was seen
-- closed_s: seconds during which the incident was closed before it was reopened, as far as seen
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
