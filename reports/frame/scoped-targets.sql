-- Results of the incidents of scoped_incidents against their targets, see incident_targets. Computed once, because
-- cards, tables, findings and the methodology of several reports need them.
-- series: period of the incident
-- judged: week of that period (`place`), and whether the incident belongs to a spike (`is_in_spike`)
with
  scoped as (
    select
      *,
      period as series,
      {
        'place': place,
        'is_in_spike': is_in_spike(period, counted_local, team_name, channel_name)
      } as judged
    from scoped_kept
    where period <> 'earlier'
  )
select * exclude (start_time, period)
from incident_targets(of_incidents := 'scoped')
