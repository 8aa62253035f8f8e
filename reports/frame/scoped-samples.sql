-- The durations behind the usual figures of each period, as `times` of each would give them; equal ones are counted,
-- so that those of a company with millions of incidents are not listed.
-- period
-- tta_sample, ttr_sample, ttr_all_sample: of tta, ttr and ttr_all of scoped_incidents
-- rule of tta_sample: see incident_times.time_to_ack_s
-- rule of ttr_sample, ttr_all_sample: see incident_times.time_to_resolve_s
with
  timed as (
    select
      period,
      judged,
      unnest([
        {'measure': 'tta', 'seconds': tta, 'counts': not muted},
        {'measure': 'ttr', 'seconds': ttr, 'counts': not muted},
        {'measure': 'ttr_all', 'seconds': ttr_all, 'counts': true}
      ], recursive := true)
    from scoped_incidents
    where period <> 'running'
  ),
  counted as (
    select period, measure, judged.place as place, as_judged(seconds, judged) as seconds, count(*) as n
    from timed
    where counts and is_compared(seconds, judged)
    group by all
  )
select
  period,
  times_counted(place, seconds, n, measure = 'tta') as tta_sample,
  times_counted(place, seconds, n, measure = 'ttr') as ttr_sample,
  times_counted(place, seconds, n, measure = 'ttr_all') as ttr_all_sample
from counted
group by period
