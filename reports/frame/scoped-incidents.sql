-- The incidents a report speaks of, one row each, with what a query needs to stay short.
-- All columns of incident_times, and:
-- counted_at: the start; or the close, where the configuration asks for the cohort `closed`
-- period: `current`, `previous` (as long, just before), or `running` (since the last whole bucket ended;
--   trends draw it, figures leave it out), by counted_at
-- week, day, month: the local bucket of counted_at
-- started_local: start in the report's time zone;  weekday of it, 1 is Monday;  hour: 0 to 23
-- band: `work`, `off` or `sleep`, by the local time of the start
-- tta: seconds to acknowledge (MTTA), not muted, by the policy of the configuration, as policy_times has it: acknowledged
--   only (`exclude`), else the close (`close_counts`), or the first thing anybody did (`first_action`)
-- ttr: seconds to resolve (MTTR), closed and handled by people;  ttr_all: every closed incident
-- recover: seconds until the alerts recovered, recovered only
-- handled_by_people, self_healed, muted, acknowledged, is_open: as incident_times says it
with
  cohort_times as (select * from cohort_times),
  cohort_incidents as (select * from cohort_incidents),
  incident_responders as (select * from incident_responders),
  -- The local time of each quarter of an hour, on which clocks change: asking a zone for every incident is dear.
  quarters as (
    select quarter, timezone($timezone, to_timestamp(900 * quarter)) as local_start
    from (
      select distinct epoch_us(counted_at) // 900000000 as quarter
      from cohort_incidents
      where counted_at >= $previous_start and counted_at < $scope_end
    )
  ),
  answers as (
    select account_id, incident_id, min(acknowledged_at) as answered_at
    from incident_responders
    where $ack_policy = 'first_action' and person_id <> 0
    group by all
  ),
  chosen as (
    select
      cohort_times.*,
      make_timestamp(epoch_us(quarters.local_start) + epoch_us(counted_at) - 900000000 * quarter) as counted_local,
      case when start_time = counted_at then counted_local else timezone($timezone, start_time) end as started_local,
      case $ack_policy
        when 'close_counts' then coalesce(ack_time, closed_at)
        when 'first_action' then least(ack_time, answered_at, case when closer_id <> 0 then closed_at end)
      end as answer_at
    from cohort_times
    join quarters on quarters.quarter = epoch_us(counted_at) // 900000000
    left join answers using (account_id, incident_id)
    where counted_at >= $previous_start
      and counted_at < $scope_end
      and ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
      and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
  )
select
  * exclude (counted_local, answer_at),
  case
    when counted_at < $period_start then 'previous'
    when counted_at < $period_end then 'current'
    else 'running'
  end as period,
  date_trunc('day', counted_local)::date as day,
  date_trunc('week', counted_local)::date as week,
  date_trunc('month', counted_local)::date as month,
  isodow(started_local) as weekday,
  hour(started_local) as hour,
  hour_band(started_local) as band,
  is_muted as muted,
  is_acknowledged as acknowledged,
  is_self_healed as self_healed,
  is_handled_by_people as handled_by_people,
  case
    when is_muted then null
    when $ack_policy = 'exclude' then time_to_ack_s
    when answer_at >= start_time then epoch(answer_at) - epoch(start_time)
  end as tta,
  case when is_handled_by_people then time_to_close_s end as ttr,
  time_to_close_s as ttr_all,
  time_to_recover_s as recover
from chosen
