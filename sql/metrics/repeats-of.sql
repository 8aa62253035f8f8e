-- Repeated incidents, one row per incident with a dedup_key. A repeat started within {repeat_within_s} (threshold
-- repeat_within_s) after an incident with the same dedup_key was closed. Closes in the same second and invalid close
-- times are ignored. Any incident, even outside of the period, can be the earlier one.
-- columns:
-- only_soon: parameter: true ignores closes that are too old for a repeat, which is faster and gives the same is_repeat
-- account_id: owning account
-- incident_id: key of the incident
-- dedup_key: key used when merging alerts, untrusted text
-- start_time: start of the incident
-- previous_incident_id: incident with this key that was closed last before the start, or null if none
-- previous_closed_at: close of that incident
-- since_close_s: start_time - previous_closed_at in seconds
-- is_repeat: since_close_s is at most the threshold
create or replace macro repeats_of(of_incidents := 'incident_times', only_soon := false) as table
with
  incident_times as (select * from incident_times),
  population as (select * from query_table(of_incidents) where dedup_key <> ''),
  span as (
    select
      case
        when only_soon then min(start_time) - to_seconds(threshold('repeat_within_s', 7 * 86400))
      end as closed_from,
      max(start_time) as closed_to
    from population
  ),
  -- Numbers are faster to sort and compare than texts.
  keys as (
    select account_id, dedup_key, row_number() over () as key_no
    from population
    group by account_id, dedup_key
  ),
  closes as (
    select keys.key_no, incident_times.closed_at, min(incident_times.incident_id) as incident_id
    from incident_times
    join keys using (account_id, dedup_key)
    cross join span
    where incident_times.time_to_close_s is not null
      and is_within(incident_times.closed_at, span.closed_from, span.closed_to)
    group by keys.key_no, incident_times.closed_at
  ),
  keyed as (
    select
      population.account_id,
      population.incident_id,
      population.dedup_key,
      population.start_time,
      keys.key_no
    from population
    join keys using (account_id, dedup_key)
  ),
  final as (
    select
      keyed.account_id,
      keyed.incident_id,
      keyed.dedup_key,
      keyed.start_time,
      -- An asof join treats an unknown start as the latest.
      case when keyed.start_time is not null then closes.incident_id end as previous_incident_id,
      case when keyed.start_time is not null then closes.closed_at end as previous_closed_at,
      epoch(keyed.start_time) - epoch(closes.closed_at) as since_close_s,
      coalesce(
        epoch(keyed.start_time) - epoch(closes.closed_at) <= threshold('repeat_within_s', 7 * 86400), false
      ) as is_repeat
    from keyed
    asof left join closes
      on keyed.key_no = closes.key_no
      and keyed.start_time > closes.closed_at
  )
select * from final
