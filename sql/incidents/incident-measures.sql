-- Custom durations (`reporting.measures`), one row per incident and measure that applies. A measure applies if its
-- first time is set and it has ended or the incident is open.
-- rule: Custom durations: between two times of an incident. Muted incidents and incidents without one of the times are
--   excluded. Negative durations are excluded and reported as invalid.
-- columns:
-- see channel_owners: account_id
-- see person_assignments: incident_id
-- see measure_spans: start_time, measure, is_wrong
-- seconds: duration, in working hours if the measure is configured so. Null until it ends, and if it is negative
-- open_s: duration until as_of while the incident is open and the end is not set, otherwise null
with
  measure_spans as (select * from measure_spans),
  final as (
    select
      account_id,
      incident_id,
      start_time,
      measure,
      case when ended_at >= from_at then working_s end as seconds,
      case when ended_at is null then greatest(working_s, 0) end as open_s,
      is_wrong
    from working_seconds(of_spans := 'measure_spans')
  )
select * from final
