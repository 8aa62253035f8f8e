-- Incidents in the scope of a report, one row each, with columns that keep queries short. It has all columns of
-- incident_times except those of scoped_details. Others are:
-- counted_at: the start, or the close for the configured cohort `closed`
-- period: `current`, `previous` (equally long, just before), or `running` (after the last full bucket, in trends but
--   not in figures), by counted_at
-- week, day, month: local bucket of counted_at. For periods of more than a year, week is a month
-- started_local: start in the time zone of the report. weekday: 1 for Monday. hour: 0 to 23
-- band: `work`, `off` or `sleep`, by the local time of the start
-- tta: seconds to acknowledge (MTTA), not muted, by the configured policy, see ack_by_policy
-- ttr: seconds to resolve (MTTR), closed, handled by people and not muted. ttr_all: to close, for all closed
-- recover: seconds until the alerts recovered, if recovered
-- judged: for times and weeks_of: week of its period (`place`), follow-up time for comparisons (`watched_s`), whether
--   it was open then (`is_open`), and part of the mix (`part`, see severity_rank)
-- measures, open_measures: seconds of custom durations by name, finished and unfinished. Null if none, or not in a
--   query
-- Each configured dimension has its own column, such as `service`. It is null before both periods.
-- handled_by_people, self_healed, muted, acknowledged, is_open: as in incident_times
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
