-- One row per incident with the columns of incident_times and the fields by which people filter at /explore of
-- `faultline serve`. These are local times, the state as text, and the time to acknowledge by the configured policy.
-- columns:
-- zone: parameter: IANA zone of the local times
-- counted_at: time that assigns the incident to a period, its start or, for the cohort `closed`, its close
-- day: local day that assigns the incident to a period: the day of its start, or for the cohort `closed` the day of its
--   close. Null if that time is not set
-- weekday: weekday of the start, 1 is Monday
-- hour: hour of the start, 0 to 23
-- band: `work`, `off` or `sleep`, by the local time of the start, see hour_band
-- state: state as text, see incident_state
-- tta_s: seconds to acknowledge, see ack_by_policy. Null if muted or not acknowledged
create or replace macro incident_facets(zone := 'UTC') as table
with
  incident_times as (select * from incident_times),
  policies as (
    select
      coalesce(max(value) filter (name = 'ack'), 'exclude') as ack,
      coalesce(max(value) filter (name = 'cohort'), 'started') as cohort
    from config_policies
  ),
  -- Only one of the policies needs the next two relations.
  answers as (
    select first_answers.* from first_answers where (select ack from policies) = 'first_action'
  ),
  automated as (
    select incident_automation.* from incident_automation where (select ack from policies) = 'first_action'
  ),
  placed as (
    select
      incident_times.*,
      timezone(zone, start_time) as started_local,
      if(policies.cohort = 'closed', closed_at, start_time) as counted_at,
      timezone(zone, counted_at) as counted_local,
      ack_by_policy(
        policies.ack,
        if(automated.is_acknowledged_by_automation, null, ack_time),
        answers.answered_at,
        closed_at,
        if(automated.is_resolved_by_automation, 0, closer_id)
      ) as answer_at
    from incident_times
    cross join policies
    left join answers using (account_id, incident_id)
    left join automated using (account_id, incident_id)
  ),
  final as (
    select
      * exclude (started_local, counted_local, answer_at),
      cast(counted_local as date) as day,
      isodow(started_local) as weekday,
      hour(started_local) as hour,
      hour_band(started_local) as band,
      incident_state(is_open, is_acknowledged) as state,
      seconds_to_answer(start_time, answer_at, is_muted) as tta_s
    from placed
  )
select * from final
