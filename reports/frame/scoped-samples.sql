-- Samples of the usual durations of each period, as returned by `times`. Equal durations are counted, so that millions
-- of incidents do not lead to millions of elements. The previous period includes up to 12 weeks before both.
-- period: `current` or `previous`
-- tta_sample, ttr_sample, ttr_all_sample: of tta, ttr and ttr_all of scoped_incidents
-- rule of tta_sample: see incident_times.time_to_ack_s
-- rule of ttr_sample, ttr_all_sample: see incident_times.time_to_resolve_s
with
  known as (from scoped_incidents union all from scoped_earlier),
  acknowledged as (select period, judged, tta as seconds from known where not muted),
  resolved as (select period, judged, ttr as seconds from known where not muted),
  closed as (select period, judged, ttr_all as seconds from known)
select period, tta.sample as tta_sample, ttr.sample as ttr_sample, ttr_all.sample as ttr_all_sample
from sampled('closed') as ttr_all
left join sampled('acknowledged') as tta using (period)
left join sampled('resolved') as ttr using (period)
