-- Rules for configured exclusions, with their reasons, and for automation.
select term, text
from (
  select
    rank,
    'Excluded: ' || name as term,
    'where ' || condition || coalesce(' (reason: ' || reason || ')', '') as text
  from config_exclusions
  union all
  select
    null,
    'Automation',
    string_agg(value, ', ' order by lower(value))
      || '. Automation has no load, is not paged, and does not count as the response of a person.'
  from config_automation
  where kind = 'member'
  having count(*) > 0
)
order by rank nulls last
