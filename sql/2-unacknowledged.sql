-- What a time to acknowledge cannot see: incidents that were not muted and that nobody acknowledged, one row each,
-- with what became of them.
-- columns:
-- account_id: account of the incident
-- incident_id: key of the incident
-- incident_severity: configured severity
-- channel_name: channel, or `(no channel)`
-- team_name: team that owns the channel, `(no channel)` or `(unknown)`
-- start_time: start
-- outcome: `self_healed` (closed by the system after recovery), `closed_by_hand`, `timed_out` (closed by the system without recovery), `merged_away`, `still_open`
with
  incident_times as (select * from incident_times),
  final as (
    select
      account_id,
      incident_id,
      incident_severity,
      channel_name,
      team_name,
      start_time,
      case close_type
        when 'auto_recovered' then 'self_healed'
        when 'manual' then 'closed_by_hand'
        when 'auto_timeout' then 'timed_out'
        when 'merged_away' then 'merged_away'
        else 'still_open'
      end as outcome
    from incident_times
    where not is_muted and not is_acknowledged
  )
select * from final
