-- One row per incident of the base set. Excluded are incidents that are deleted, missing from the service, merged into
-- another (see is_merged_away) or excluded in the configuration (see own_incidents). The key is account_id and
-- incident_id, never num. The clock starts at start_time. `progress` decides whether it is open. If `progress` and
-- close_time disagree (Closed without close_time, or close_time without Closed after a reopening), is_conflict is set.
-- A negative duration is null and has a flag. Durations are in seconds. Muted incidents are included, and metrics of
-- acknowledgement, paging and targets filter `not is_muted`.
-- key: account_id, incident_id
-- rule when cohort is started: Incident: one incident_id that is neither deleted nor removed from the service. It
--   belongs to the period in which it started.
-- rule when cohort is closed: Incident: one incident_id that is neither deleted nor removed from the service. It
--   belongs to the period in which it was closed. Open incidents belong to no period.
-- rule of is_muted: Muted: included in incident counts and “all closed”. Excluded from times to acknowledge, times to
--   resolve (handled by a person), targets, survival and pages.
-- rule of team_name: Team: team that owned the channel when the incident started. If it started before the channel was
--   first read, the channel's first known owner.
-- rule of incident_severity: Severity: incident_severity as configured. It does not drop when alerts recover.
--   High-severity is Critical or Warning.
-- rule of time_to_ack_s, time_to_close_s, time_to_resolve_s: 0 s: treated as a valid time. The number of such cases is
--   listed below.
-- rule of time_to_ack_s: see ack_by_policy
-- rule of ack_time: see incident_times.time_to_ack_s
-- rule of time_to_close_s, time_to_resolve_s: Time to resolve: from start to close, for closed incidents handled by a
--   person (acknowledged or closed manually). Incidents closed by a timer or by automation are excluded. Incidents
--   closed by a timer are shown in a separate line. In survival curves, they are right-censored at the close.
-- rule of time_to_close_s, time_to_resolve_s: see incident_changes
-- rule of time_to_recover_s: Time to recover: from start until the alerts recovered.
-- columns:
-- incident_id: key of the incident, 24 hexadecimal digits
-- num: short identifier that people use. It may repeat, so never count or join on it
-- title: title from the alert or the reporter, untrusted text
-- detail_url: page of the incident in the service
-- account_id: owning account. Each account assigns its own ids
-- account_time_zone: IANA time zone of the account, as reported by the service
-- channel_id: channel, 0 for a standalone incident
-- channel_name: current name of the channel, otherwise the name on the incident. `(no channel)` for channel 0, and
--   `(unknown)` if it has no name
-- team_id: team that owned the channel when the incident started, see channel_owners, or null if there was none or it
--   is unmapped
-- team_name: current name of the team, `(no channel)` for channel 0, or `(unknown)` if unmapped
-- integration_id: first integration, 0 if none
-- integration_type: type of the first alert's integration
-- dedup_key: key used when merging alerts
-- incident_severity: configured severity. Unlike incident_status it does not fall to Ok on recovery
-- incident_status: current state of the alerts
-- progress: Triggered, Processing or Closed. It decides whether the incident is open
-- start_time: start of the incident and of every clock
-- ack_time: first acknowledgement, or null if none
-- close_time: end of handling, as reported by the service. It can be set on a reopened incident, so use is_open
-- closed_at: close_time of a closed incident, or null while open. It selects the cohort `closed` of a period
-- end_time: when alerts recovered, or null while they fire
-- created_at: when the service created the record
-- updated_at: when the service last changed the record
-- snoozed_before: end of a pause of notifications, or null if not paused
-- owner_id: main owner, 0 if none
-- closer_id: member who closed it, 0 for the system
-- creator_id: member who created it, 0 for the system
-- alert_cnt: number of merged alerts
-- alert_event_cnt: number of raw events of all merged alerts
-- ever_muted: the service muted it at some time
-- impact: free text
-- root_cause: free text
-- resolution: free text
-- post_mortem_id: linked post-mortem, empty if none
-- manual_overrides: names of the fields that were overridden manually
-- assigned_to: current assignment, JSON
-- as_of_at: time up to which the data of the account was read, see as_of
-- is_open: progress is not Closed
-- is_acknowledged: ack_time is set
-- is_muted: ever_muted. Included in volume, not in metrics of acknowledgement, time to resolve, paging or targets
-- is_handled_by_people: closed, not by a timer or by automation, and acknowledged or closed by a member
-- is_self_healed: close_type is auto_recovered, without acknowledgement
-- close_state: `both` (closed and recovered), `closed_while_firing`, `recovered_not_closed`, `open` (neither)
-- close_type: `manual` (closer not 0), `auto_recovered` (closer 0, end_time set) or `auto_timeout` (closer 0, no
--   end_time, so a timer closed it). Null while open
-- time_to_ack_s: ack_time - start_time in seconds, if acknowledged (policy `exclude`)
-- time_to_close_s: close_time - start_time in seconds, if closed
-- time_to_resolve_s: time_to_close_s if handled by people and not muted, the headline time to resolve (MTTR)
-- time_to_recover_s: end_time - start_time in seconds, if recovered
-- hands_on_s: close_time - ack_time in seconds, if closed and acknowledged
-- close_lag_s: close_time - end_time in seconds, if closed and recovered. Null if it was closed while firing
-- detection_lag_s: created_at - start_time in seconds
-- age_s: as_of_at - start_time in seconds, if open
-- survival_s: observed time in seconds, until close_time if closed, or until as_of_at if open. Null if it was closed
--   without close_time
-- is_negative_ack: acknowledged before it started, so time_to_ack_s is null
-- is_negative_close: closed before it started, so time_to_close_s is null
-- is_negative_recover: recovered before it started, so time_to_recover_s is null
-- is_closed_before_ack: closed before it was acknowledged. Both times are used
-- is_conflict: progress and close_time disagree
-- see own_incidents: corrected, moments
-- dimensions: value of each configured dimension, `(none)` if it has no value. Null if no dimension is configured
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
      -- A close_time from before a reopening is not a close, because progress decides.
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
