-- The incidents a report speaks of, one row each, with what a query needs to stay short.
-- All columns of incident_times, and:
-- period: `current`, `previous` (as long, just before), or `running` (started since the last whole bucket ended;
--   trends draw it, figures leave it out)
-- started_local: start in the report's time zone;  week, day, month: the local bucket it falls in
-- weekday: 1 is Monday;  hour: 0 to 23
-- band: `work`, `off` or `sleep`, by the local time of the start
-- tta: seconds to acknowledge (MTTA), not muted, acknowledged only
-- ttr: seconds to resolve (MTTR), closed and handled by people;  ttr_all: every closed incident
-- recover: seconds until the alerts recovered, recovered only
-- handled_by_people, self_healed, muted, acknowledged, is_open: as incident_times says it
with
  incident_times as (select * from incident_times),
  chosen as (
    select *, timezone($timezone, start_time) as started_local
    from incident_times
    where start_time >= $previous_start
      and start_time < $scope_end
      and ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
      and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
  )
select
  *,
  case
    when start_time < $period_start then 'previous'
    when start_time < $period_end then 'current'
    else 'running'
  end as period,
  date_trunc('day', started_local)::date as day,
  date_trunc('week', started_local)::date as week,
  date_trunc('month', started_local)::date as month,
  isodow(started_local) as weekday,
  hour(started_local) as hour,
  hour_band(started_local) as band,
  is_muted as muted,
  is_acknowledged as acknowledged,
  is_self_healed as self_healed,
  is_handled_by_people as handled_by_people,
  case when not is_muted then time_to_ack_s end as tta,
  case when is_handled_by_people then time_to_close_s end as ttr,
  time_to_close_s as ttr_all,
  time_to_recover_s as recover
from chosen
