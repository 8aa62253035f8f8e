-- Whether an incident is a repeat: it started within 7 days (threshold repeat_within_s)
-- after an incident with the same dedup_key was closed. One
-- row per incident with a dedup_key. A close in the same second does not count, nor one whose time is bad.
-- columns:
-- account_id: owning account
-- incident_id: key of the incident
-- dedup_key: key used when merging alerts; hostile text
-- start_time: start
-- previous_incident_id: the incident with this key that was closed last before the start; null if none
-- previous_closed_at: when it was closed
-- since_close_s: start_time - previous_closed_at, seconds
-- is_repeat: since_close_s is at most the threshold
with
  incident_times as (select * from incident_times),
  closes as (
    select account_id, dedup_key, closed_at, min(incident_id) as incident_id
    from incident_times
    where dedup_key <> '' and time_to_close_s is not null
    group by account_id, dedup_key, closed_at
  ),
  keyed as (
    select account_id, incident_id, dedup_key, start_time
    from incident_times
    where dedup_key <> ''
  ),
  final as (
    select
      keyed.account_id,
      keyed.incident_id,
      keyed.dedup_key,
      keyed.start_time,
      -- An asof join takes an unknown start for the latest of all.
      case when keyed.start_time is not null then closes.incident_id end as previous_incident_id,
      case when keyed.start_time is not null then closes.closed_at end as previous_closed_at,
      epoch(keyed.start_time) - epoch(closes.closed_at) as since_close_s,
      coalesce(
        epoch(keyed.start_time) - epoch(closes.closed_at) <= threshold('repeat_within_s', 7 * 86400), false
      ) as is_repeat
    from keyed
    asof left join closes
      on keyed.account_id = closes.account_id
      and keyed.dedup_key = closes.dedup_key
      and keyed.start_time > closes.closed_at
  )
select * from final
