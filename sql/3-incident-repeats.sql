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
  final as (
    select * from repeats_of()
  )
select * from final
