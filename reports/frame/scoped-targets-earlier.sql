-- Results of the incidents of scoped_earlier, like scoped_targets.
with
  scoped as (
    select *, period as series, {'place': place} as judged
    from scoped_kept
    where period = 'earlier'
  )
select * exclude (start_time, period)
from incident_targets(of_incidents := 'scoped')
