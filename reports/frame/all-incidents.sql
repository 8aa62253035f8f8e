-- Rows of incident lists: the incidents of scoped_incidents, and all open incidents, one row each. It has the columns
-- of scoped_incidents except judged. These columns can be null for older open incidents if no list needs them.
-- severity, team, channel, integration: short names of these columns
-- weeks_ago: number of weeks in the period after the week of the incident, 0 for the last week
-- lasted_s: seconds until the incident was closed, or until as_of
-- is_waiting: see scoped_open
-- state: see incident_state
-- ack_outcome, resolve_outcome and all others: see incident_targets
-- missed_targets, decided_targets, undecided_targets: lists like `acknowledge Critical`. Undecided means that the
--   incident ended early
-- alert: name of its alert family, for titles in scoped_families. Null for all others
-- title, detail_url: as in scoped_details
-- holders: names of the assigned people, separated by commas
with
  -- All incidents, or only the newest if there are too many.
  listed as (
    from scoped_incidents
    where $listed_from::timestamptz is null or start_time >= $listed_from::timestamptz
  ),
  targets as (
    select
      t.* exclude (
        incident_severity, team_name, start_time, period, judged, ack_hours,
        resolve_hours, ack_due_s, resolve_due_s
      ),
      list_filter([
        if(ack_outcome = 'missed', 'acknowledge ' || ack_severity, null),
        if(resolve_outcome = 'missed', 'resolve ' || resolve_severity, null)
      ], lambda one: one is not null) as missed_targets,
      list_filter([
        if(ack_outcome in ('met', 'missed'), 'acknowledge ' || ack_severity, null),
        if(resolve_outcome in ('met', 'missed'), 'resolve ' || resolve_severity, null)
      ], lambda one: one is not null) as decided_targets,
      list_filter([
        if(ack_outcome = 'ended_early', 'acknowledge ' || ack_severity, null),
        if(resolve_outcome = 'ended_early', 'resolve ' || resolve_severity, null)
      ], lambda one: one is not null) as undecided_targets
    from incident_targets(of_incidents := 'listed') t
  ),
  waiting as (
    select account_id, incident_id from scoped_open where is_waiting
  ),
  open_before as (
    select
      account_id,
      incident_id,
      num,
      incident_severity,
      team_name,
      channel_name,
      integration_type,
      start_time,
      time_to_ack_s,
      survival_s,
      is_open,
      is_muted as muted,
      is_acknowledged as acknowledged,
      is_self_healed as self_healed,
      is_handled_by_people as handled_by_people
    from scoped_open
    anti join scoped_incidents using (account_id, incident_id)
    where $listed_from::timestamptz is null or start_time >= $listed_from::timestamptz
  ),
  every as (
    select * exclude (judged), last_place - judged.place as weeks_ago
    from listed
    cross join (select max(place) as last_place from scoped_places where period = 'current')
    union all by name
    from open_before
  )
select
  every.*,
  incident_severity as severity,
  team_name as team,
  channel_name as channel,
  integration_type as integration,
  coalesce(ttr_all, survival_s) as lasted_s,
  waiting.incident_id is not null as is_waiting,
  incident_state(is_open, acknowledged) as state,
  targets.* exclude (account_id, incident_id),
  alert_family_name(family) as alert,
  -- The mark is at the start, because long titles are cut.
  if(len(corrected) > 0, '[corrected] ', '') || title as title,
  detail_url,
  array_to_string(people, ', ') as holders
from every
join scoped_details using (account_id, incident_id)
left join scoped_families using (title)
left join targets using (account_id, incident_id)
left join waiting using (account_id, incident_id)
left join incident_holders(of_incidents := 'every') using (account_id, incident_id)
