-- The incidents a report speaks of, one row each, with what a query needs to stay short.
-- All columns of incident_times but those of scoped_details, and:
-- counted_at: the start; or the close, where the configuration asks for the cohort `closed`
-- period: `current`, `previous` (as long, just before), or `running` (since the last whole bucket ended;
--   trends draw it, figures leave it out), by counted_at
-- week, day, month: the local bucket of counted_at; week is a month where the period is more than a year
-- started_local: start in the report's time zone;  weekday of it, 1 is Monday;  hour: 0 to 23
-- band: `work`, `off` or `sleep`, by the local time of the start
-- tta: seconds to acknowledge (MTTA), not muted, by the policy of the configuration, see ack_by_policy
-- ttr: seconds to resolve (MTTR), closed and handled by people, not muted;  ttr_all: every closed incident
-- recover: seconds until the alerts recovered, recovered only
-- judged: for times and weeks_of: in which week of its period (`place`), how long it was watched when periods are
--   compared (`watched_s`), whether it was open then (`is_open`), and its part of the mix (`part`, see severity_rank)
-- measures: seconds by the names of own measures; null has none;  open_measures: of those that go on, so far. Both are
--   null in a report of which no query names them
-- Each dimension of the configuration has its column too, `service`; null before both periods.
-- handled_by_people, self_healed, muted, acknowledged, is_open: as incident_times says it
-- rule of tta: see incident_times.time_to_ack_s
-- rule of ttr, ttr_all: see incident_times.time_to_resolve_s
-- rule of recover: see incident_times.time_to_recover_s
-- rule of band: see hour_band
create or replace temp view scoped_incidents as
select
  * exclude (counted_local, place, judged_at),
  {
    'place': place,
    'watched_s': coalesce(epoch(judged_at), 'infinity'::double) - epoch(start_time),
    'is_open': is_open or closed_at > judged_at,
    'part': severity_rank(incident_severity)::utinyint
  } as judged,
  date_trunc('day', counted_local)::date as day,
  bucket_of(counted_local)::date as week,
  date_trunc('month', counted_local)::date as month,
  isodow(started_local) as weekday,
  hour(started_local) as hour,
  is_muted as muted,
  is_acknowledged as acknowledged,
  is_self_healed as self_healed,
  is_handled_by_people as handled_by_people,
  time_to_resolve_s as ttr,
  time_to_close_s as ttr_all,
  time_to_recover_s as recover
from scoped_kept
where period <> 'earlier'
