-- The lists that figures of a page lead to, one row each: how many incidents, and the first of them, worst first, then
-- longest. Of the current period; by week also of the time since.
with
  named as (
    select
      period,
      [
        {'dimension': 'week', 'value': week::varchar},
        {'dimension': 'severity', 'value': incident_severity},
        {'dimension': 'team', 'value': team_name},
        {'dimension': 'channel', 'value': channel_name},
        {'dimension': 'hour', 'value': hour::varchar}
      ] as places,
      {
        'rank': severity_rank(incident_severity),
        'lasted': -coalesce(ttr_all, survival_s, 0),
        'id': incident_id,
        'account': account_id
      } as place
    from scoped_incidents
    where period <> 'previous'
  ),
  placed as (
    select period, place, unnest(places, recursive := true)
    from named
  )
select
  dimension,
  coalesce(value, '(none)') as value,
  count(*) as incidents,
  list_transform(min(place, 8), lambda one: one.account || '/' || one.id) as first_ones
from placed
where list_contains($dimensions::varchar[], dimension)
  and (period = 'current' or (dimension = 'week' and period = 'running'))
group by all
order by all
