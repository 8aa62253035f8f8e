-- Start and end of each custom duration (`reporting.measures`), one row per incident and measure that applies. It is a
-- step of incident_measures. Queries that use no seconds do not read working hours.
-- columns:
-- account_id: owning account
-- incident_id: key of the incident
-- start_time: start of the incident
-- measure: name of the measure
-- from_at: start of the duration
-- ended_at: end of the duration, or null while it is unfinished
-- to_at: ended_at, or as_of while the duration is unfinished
-- is_wrong: the duration is negative
-- hours: name of the working hours that count, or null for all hours
-- timezone: IANA time zone of the working hours, see working_zone
with
  config_measures as (select * from config_measures),
  first_answers as (select * from first_answers),
  post_mortems as (select * from post_mortems),
  times as (
    select incident_times.*, first_answers.answered_at, post_mortems.created_at as learned_at
    from incident_times
    left join first_answers using (account_id, incident_id)
    left join post_mortems using (account_id, post_mortem_id)
    where not is_muted and exists (select 1 from config_measures)
  ),
  placed as (
    select
      account_id,
      incident_id,
      start_time,
      config_measures.name as measure,
      is_open,
      moment_of(
        from_moment, start_time, created_at, ack_time, closed_at, end_time, answered_at, learned_at, moments
      ) as from_at,
      moment_of(
        to_moment, start_time, created_at, ack_time, closed_at, end_time, answered_at, learned_at, moments
      ) as ended_at,
      coalesce(ended_at, case when is_open then as_of_at end) as to_at,
      config_measures.working_hours as hours,
      working_zone(config_measures.working_hours, team_name) as timezone
    from times
    cross join config_measures
  ),
  final as (
    select
      account_id,
      incident_id,
      start_time,
      measure,
      from_at,
      ended_at,
      to_at,
      coalesce(ended_at < from_at, false) as is_wrong,
      hours,
      timezone
    from placed
    where from_at is not null and (ended_at is not null or is_open)
  )
select * from final
