-- Durations of the company's own (`reporting.measures`), of each incident that has one: a row for each incident and
-- measure whose clock started. What never ended, of a closed incident, does not apply and has no row; it is no 0.
-- rule: Own measures: between two moments of an incident. Muted incidents have none, nor has one that lacks a moment;
--   what ends before it starts is left out and counted as wrong.
-- columns:
-- see channel_owners: account_id
-- see person_assignments: incident_id
-- see measure_spans: start_time, measure, is_wrong
-- seconds: from one moment to the other, of working hours where the measure says so; null while it goes on, and where
--   it is wrong
-- open_s: the same until the data was read, while it goes on: the incident is open and the end is not there
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
