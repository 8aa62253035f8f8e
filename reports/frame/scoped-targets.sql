-- Results of the incidents of scoped_incidents against their targets, see incident_targets. Computed once, because
-- cards, tables, findings and the methodology of several reports need them.
-- series: period of the incident
-- judged: week of that period (`place`)
with
  scoped as (
    select *, period as series, {'place': place} as judged
    from scoped_kept
    where period <> 'earlier'
  )
select * exclude (start_time, period)
from incident_targets(of_incidents := 'scoped')
