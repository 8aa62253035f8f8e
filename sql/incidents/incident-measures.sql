-- Durations of the company's own (`reporting.measures`), of each incident that has one: a row for each incident and
-- measure whose clock started. What never ended, of a closed incident, does not apply and has no row; it is no 0.
-- rule: Own measures: between two moments of an incident; where one is missing it does not apply, and what ends before
--   it starts is left out and counted as wrong.
-- columns:
-- account_id: owning account
-- incident_id: key of the incident
-- start_time: when it began
-- measure: name of the measure
-- seconds: from one moment to the other, of working hours where the measure says so; null while it goes on, and where
--   it is wrong
-- open_s: the same until the data was read, while it goes on: the incident is open and the end is not there
-- is_wrong: it ended before it began
with
  config_measures as (select * from config_measures),
  first_answers as (select * from first_answers),
  post_mortems as (select * from post_mortems),
  times as (select * from incident_times where exists (select 1 from config_measures)),
  placed as (
    select
      times.account_id,
      times.incident_id,
      times.start_time,
      config_measures.name as measure,
      times.is_open,
      times.as_of_at,
      moment_of(
        from_moment, times.start_time, times.created_at, ack_time, closed_at, end_time, first_answers.answered_at,
        post_mortems.created_at, moments
      ) as from_at,
      moment_of(
        to_moment, times.start_time, times.created_at, ack_time, closed_at, end_time, first_answers.answered_at,
        post_mortems.created_at, moments
      ) as ended_at,
      config_measures.working_hours as hours,
      working_zone(config_measures.working_hours, times.team_name) as timezone
    from times
    cross join config_measures
    left join first_answers using (account_id, incident_id)
    left join post_mortems using (account_id, post_mortem_id)
  ),
  spans as (
    select *, coalesce(ended_at, case when is_open then as_of_at end) as to_at
    from placed
    where from_at is not null and (ended_at is not null or is_open)
  ),
  final as (
    select
      account_id,
      incident_id,
      start_time,
      measure,
      case when ended_at >= from_at then working_s end as seconds,
      case when ended_at is null then greatest(working_s, 0) end as open_s,
      coalesce(ended_at < from_at, false) as is_wrong
    from working_seconds(of_spans := 'spans')
  )
select * from final
