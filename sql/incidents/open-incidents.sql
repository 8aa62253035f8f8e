-- Incidents open at as_of (progress is not Closed), including muted ones. For a list, order by age_s, longest first.
-- columns:
-- see incident_labels: account_id, incident_id
-- num: short identifier that people use, may repeat
-- see incident_times: title, detail_url, owner_id, snoozed_before
-- see assignment_outcomes: incident_severity, team_name
-- progress: Triggered or Processing
-- channel_name: channel, or `(no channel)`
-- is_acknowledged: it was acknowledged
-- is_muted: the service muted it at some time
-- start_time: start
-- age_s: as_of of the account - start_time in seconds, or null if it started after as_of
-- age_bucket: `<1 h`, `<1 d`, `<7 d`, `older`, or `(unknown)` if age_s is null
with
  incident_times as (select * from incident_times),
  final as (
    select
      account_id,
      incident_id,
      num,
      title,
      detail_url,
      incident_severity,
      progress,
      channel_name,
      team_name,
      owner_id,
      is_acknowledged,
      is_muted,
      snoozed_before,
      start_time,
      age_s,
      case
        when age_s is null then '(unknown)'
        when age_s < 3600 then '<1 h'
        when age_s < 86400 then '<1 d'
        when age_s < 7 * 86400 then '<7 d'
        else 'older'
      end as age_bucket
    from incident_times
    where is_open
  )
select * from final
