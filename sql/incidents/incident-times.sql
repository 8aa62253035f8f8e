-- One row per incident of the base set: not deleted, not vanished from the service, not merged into another (see
-- is_merged_away), not left out by the configuration (see own_incidents); the key is account_id and incident_id,
-- never num. The clock starts at start_time. `progress` decides what is open: Closed without close_time, and
-- close_time without Closed (reopened), are read by progress and flagged by is_conflict. A negative duration is null
-- and flagged, so it leaves every statistic and is counted on the data-quality line. Durations are seconds. No
-- muting is applied here: metrics of acknowledgement, paging and targets filter `not is_muted` themselves.
-- key: account_id, incident_id
-- rule when cohort is started: Incident: one incident_id that is not deleted and still known to the service; it
--   belongs to the period in which it started.
-- rule when cohort is closed: Incident: one incident_id that is not deleted and still known to the service; it belongs
--   to the period in which it was closed; what is open belongs to none.
-- rule of is_muted: Muted: counts as an incident and among all closed, but not in times to acknowledge or of what
--   people handled, targets, survival or calls.
-- rule of team_name: Team: the team that owned the channel when the incident started; before the channel was first
--   read, the first owner known.
-- rule of incident_severity: Severity: incident_severity, as configured; it does not fall when alerts recover.
-- rule of time_to_ack_s, time_to_close_s, time_to_resolve_s: 0 s: is a time like any other and counts; how many there
--   are stands below.
-- rule of time_to_ack_s: see ack_by_policy
-- rule of ack_time: see incident_times.time_to_ack_s
-- rule of time_to_close_s, time_to_resolve_s: Time to resolve: from start to close, closed incidents that people
--   handled: acknowledged, or closed by hand. What a timer or automation closed was not resolved by people: it is left
--   out. What a timer closed has its own line, and counts in survival as not over when it was closed.
-- rule of time_to_close_s, time_to_resolve_s: see incident_changes
-- rule of time_to_recover_s: Time to recover: from start until the alerts recovered.
-- columns:
-- incident_id: key of the incident, 24 hexadecimal digits
-- num: short identifier people use; may repeat, so never count or join on it
-- title: title from the alert or the reporter; hostile text
-- detail_url: page of the incident in the service
-- account_id: owning account; each account counts its own ids
-- account_time_zone: the account's IANA time zone, as the service says it
-- channel_id: channel; 0 is a standalone incident
-- channel_name: the channel's present name, else the name on the incident; `(no channel)` for channel 0, else
--   `(unknown)`
-- team_id: team that owned the channel when the incident started, see channel_owners; null when there is none or it is
--   unmapped
-- team_name: the team's present name; `(no channel)` for channel 0, `(unknown)` when unmapped
-- integration_id: first integration; 0 is none
-- integration_type: type of the first alert's integration
-- dedup_key: key used when merging alerts
-- incident_severity: configured severity; unlike incident_status it does not fall to Ok on recovery
-- incident_status: state of the alerts now
-- progress: Triggered, Processing or Closed; decides what is open
-- start_time: start; every clock starts here
-- ack_time: first acknowledgement; null if none
-- close_time: handling ended, as the service says it; can be set on a reopened incident, so ask is_open
-- closed_at: close_time of a closed incident, null while it is open; a closed cohort is those closed_at falls in a
--   period
-- end_time: alerts recovered; null while they fire
-- created_at: the service created the record
-- updated_at: the service last changed the record
-- snoozed_before: notifications paused until then; null if not
-- owner_id: main owner; 0 is none
-- closer_id: who closed it; 0 is the system
-- creator_id: who created it; 0 is the system
-- alert_cnt: merged alerts
-- alert_event_cnt: raw events over all merged alerts
-- ever_muted: the service silenced it at some time
-- impact: free text
-- root_cause: free text
-- resolution: free text
-- post_mortem_id: its post-mortem; empty if none
-- manual_overrides: names of the fields overridden by hand
-- assigned_to: present assignment, JSON
-- as_of_at: the moment the account's figures speak of, see as_of
-- is_open: progress is not Closed
-- is_acknowledged: ack_time is set
-- is_muted: ever_muted; counts in volume, not in acknowledgement, time to resolve, paging or target metrics
-- is_handled_by_people: closed, not by a timer or by automation, and acknowledged or closed by a member
-- is_self_healed: close_type is auto_recovered, without acknowledgement
-- close_state: `both` (closed and recovered), `closed_while_firing`, `recovered_not_closed`, `open` (neither)
-- close_type: `manual` (closer not 0), `auto_recovered` (closer 0, end_time set), `auto_timeout` (closer 0, no
--   end_time: a timer closed it); null when open
-- time_to_ack_s: ack_time - start_time, seconds, acknowledged only (policy `exclude`)
-- time_to_close_s: close_time - start_time, seconds, closed only
-- time_to_resolve_s: time_to_close_s of those handled by people and not muted: the headline time to resolve (MTTR)
-- time_to_recover_s: end_time - start_time, seconds, recovered only
-- hands_on_s: close_time - ack_time, seconds, closed and acknowledged
-- close_lag_s: close_time - end_time, seconds, closed and recovered; null when it was closed while firing
-- detection_lag_s: created_at - start_time, seconds
-- age_s: as_of_at - start_time, seconds, open only
-- survival_s: time under observation in seconds: until close_time when closed, until as_of_at when open; null when
--   closed without close_time
-- is_negative_ack: acknowledged before it started; left out of time_to_ack_s
-- is_negative_close: closed before it started; left out of time_to_close_s
-- is_negative_recover: recovered before it started; left out of time_to_recover_s
-- is_closed_before_ack: closed before it was acknowledged; both times count
-- is_conflict: progress and close_time disagree
-- see own_incidents: corrected, moments
-- dimensions: its value of each dimension of the configuration, `(none)` where it has none; null when none is
--   configured
with
  as_of as (select * from as_of),
  own_incidents as (select * from own_incidents),
  automation_members as (select * from automation_members),
  base_set as (
    select
      own_incidents.*,
      as_of.as_of_at,
      own_incidents.progress is distinct from 'Closed' as is_open,
      machines.member_id is not null as is_closed_by_automation,
      -- A close_time left over from before a reopening ends nothing: progress wins.
      case when own_incidents.progress = 'Closed' then own_incidents.close_time end as closed_at
    from own_incidents
    left join as_of using (account_id)
    left join automation_members as machines
      on machines.account_id = own_incidents.account_id and machines.member_id = own_incidents.closer_id
    where own_incidents.deleted_at is null
      and own_incidents.vanished_at is null
      and own_incidents.excluded_as is null
      and not is_merged_away(own_incidents.progress, own_incidents.creator_id, own_incidents.alert_cnt)
  ),
  measured as (
    select
      *,
      epoch(ack_time) - epoch(start_time) as ack_s,
      epoch(closed_at) - epoch(start_time) as close_s,
      epoch(end_time) - epoch(start_time) as recover_s,
      epoch(closed_at) - epoch(ack_time) as hands_s,
      epoch(closed_at) - epoch(end_time) as lag_s,
      epoch(created_at) - epoch(start_time) as detection_s,
      case when is_open then epoch(as_of_at) - epoch(start_time) end as open_s,
      case
        when is_open then null
        when closer_id <> 0 then 'manual'
        when end_time is not null then 'auto_recovered'
        else 'auto_timeout'
      end as close_type
    from base_set
  ),
  final as (
    select
      incident_id,
      num,
      title,
      detail_url,
      account_id,
      account_time_zone,
      channel_id,
      channel_name,
      team_id,
      team_name,
      integration_id,
      integration_type,
      dedup_key,
      incident_severity,
      incident_status,
      progress,
      start_time,
      ack_time,
      close_time,
      closed_at,
      end_time,
      created_at,
      updated_at,
      snoozed_before,
      owner_id,
      closer_id,
      creator_id,
      alert_cnt,
      alert_event_cnt,
      ever_muted,
      impact,
      root_cause,
      resolution,
      post_mortem_id,
      manual_overrides,
      assigned_to,
      as_of_at,
      is_open,
      ack_time is not null as is_acknowledged,
      coalesce(ever_muted, false) as is_muted,
      coalesce(
        (close_type = 'manual' and not is_closed_by_automation)
          or (close_type = 'auto_recovered' and ack_time is not null),
        false
      ) as is_handled_by_people,
      coalesce(close_type = 'auto_recovered', false) and ack_time is null as is_self_healed,
      case
        when not is_open and end_time is not null then 'both'
        when not is_open then 'closed_while_firing'
        when end_time is not null then 'recovered_not_closed'
        else 'open'
      end as close_state,
      close_type,
      case when ack_s >= 0 then ack_s end as time_to_ack_s,
      case when close_s >= 0 then close_s end as time_to_close_s,
      case when not is_muted and is_handled_by_people and close_s >= 0 then close_s end as time_to_resolve_s,
      case when recover_s >= 0 then recover_s end as time_to_recover_s,
      case when hands_s >= 0 then hands_s end as hands_on_s,
      case when lag_s >= 0 then lag_s end as close_lag_s,
      case when detection_s >= 0 then detection_s end as detection_lag_s,
      case when open_s >= 0 then open_s end as age_s,
      case when coalesce(close_s, open_s) >= 0 then coalesce(close_s, open_s) end as survival_s,
      coalesce(ack_s < 0, false) as is_negative_ack,
      coalesce(close_s < 0, false) as is_negative_close,
      coalesce(recover_s < 0, false) as is_negative_recover,
      coalesce(hands_s < 0, false) as is_closed_before_ack,
      is_open = (close_time is not null) as is_conflict,
      dimensions,
      moments,
      corrected
    from measured
  )
select * from final
