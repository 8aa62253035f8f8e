-- Open incidents of any period, for the selected teams and severities, with all columns of incident_times and:
-- ack_due_s, resolve_due_s: targets to acknowledge and resolve on the clock in seconds, see incident_targets
-- is_waiting: high-severity and unacknowledged past target. Excluded are Warnings older than a week, muted and snoozed
--   incidents, and accounts of never_acknowledging
with
  open_now as (
    from incident_times
    where is_open
      and ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
      and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
      and has_chosen($dimensions::varchar[], dimensions)
  ),
  asked as (
    select account_id, incident_id, start_time as from_at, open_now.team_name, targets.* exclude (team_name)
    from open_now
    join targets_for(of_incidents := 'open_now') as targets
      on targets.team_name = open_now.team_name
      and targets.dimensions is not distinct from open_now.dimensions
      and targets.severity = incident_severity
  ),
  clocks as (
    select *, working_zone(hours, team_name) as timezone
    from (
      select account_id, incident_id, team_name, from_at, unnest([
        {'measure': 'ack', 'target_s': ack_target_s, 'hours': ack_hours},
        {'measure': 'resolve', 'target_s': resolve_target_s, 'hours': resolve_hours}
      ], recursive := true)
      from asked
    )
    where hours is not null
  ),
  due as (
    select
      account_id,
      incident_id,
      max(due_s) filter (measure = 'ack') as ack_due_s,
      max(due_s) filter (measure = 'resolve') as resolve_due_s
    from working_due(of_clocks := 'clocks')
    group by account_id, incident_id
  )
select
  open_now.*,
  coalesce(due.ack_due_s, asked.ack_target_s) as ack_due_s,
  coalesce(due.resolve_due_s, asked.resolve_target_s) as resolve_due_s,
  (incident_severity = 'Critical' or (incident_severity = 'Warning' and age_s < 7 * 86400))
    and not is_acknowledged
    and open_now.account_id not in (select account_id from never_acknowledging)
    and not is_muted
    and (snoozed_before is null or snoozed_before <= as_of_at)
    and age_s > coalesce(due.ack_due_s, asked.ack_target_s, 0) as is_waiting
from open_now
left join asked using (account_id, incident_id)
left join due using (account_id, incident_id)
order by start_time, incident_id
