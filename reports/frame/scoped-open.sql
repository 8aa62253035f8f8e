-- Incidents that are open now, of any period, for the chosen teams and severities: all columns of incident_times, and:
-- ack_due_s, resolve_due_s: seconds within which it has to be acknowledged, and resolved, see incident_targets
-- is_waiting: it is serious, and nobody acknowledged it within its target; what is older than a week waits for no one
--   any more, but for a Critical; what is muted or snoozed waits for nobody
with
  open_now as (
    from incident_times
    where is_open
      and ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
      and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
      and has_chosen($dimensions::varchar[], dimensions)
  ),
  asked as (
    select
      account_id, incident_id, ack_target_s, resolve_target_s, working_hours as hours,
      start_time as from_at,
      working_zone(working_hours, open_now.team_name) as timezone
    from open_now
    join targets_for(of_incidents := 'open_now') as targets
      on targets.team_name = open_now.team_name
      and targets.dimensions is not distinct from open_now.dimensions
      and targets.severity = incident_severity
  ),
  ack_clocks as (select *, ack_target_s as target_s from asked where hours is not null),
  ack_due as (select account_id, incident_id, due_s from working_due(of_clocks := 'ack_clocks')),
  resolve_clocks as (select *, resolve_target_s as target_s from asked where hours is not null),
  resolve_due as (select account_id, incident_id, due_s from working_due(of_clocks := 'resolve_clocks'))
select
  open_now.*,
  coalesce(ack_due.due_s, asked.ack_target_s) as ack_due_s,
  coalesce(resolve_due.due_s, asked.resolve_target_s) as resolve_due_s,
  (incident_severity = 'Critical' or (incident_severity = 'Warning' and age_s < 7 * 86400))
    and not is_acknowledged
    and not is_muted
    and (snoozed_before is null or snoozed_before <= as_of_at)
    and age_s > coalesce(ack_due.due_s, asked.ack_target_s, 0) as is_waiting
from open_now
left join asked using (account_id, incident_id)
left join ack_due using (account_id, incident_id)
left join resolve_due using (account_id, incident_id)
order by start_time, incident_id
