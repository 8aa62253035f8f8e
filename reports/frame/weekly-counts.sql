-- Incidents in every whole week, also in those without any: how much counts vary from week to week.
with counts as (
  select week, count(*) as incidents from scoped_incidents group by week
)
select scoped_weeks.period, coalesce(counts.incidents, 0) as incidents
from scoped_weeks
left join counts using (week)
where not scoped_weeks.is_partial and scoped_weeks.period <> 'running'
order by scoped_weeks.week
