-- Rules for configured exclusions, with their reasons, and for automation.
select term, text
from (
  select rank, 'Left out: ' || name as term, coalesce(reason || '; ', '') || 'where ' || condition as text
  from config_exclusions
  union all
  select
    null,
    'People',
    'not ' || string_agg(value, ', ' order by lower(value))
      || ': automation carries nothing, is not called, and answers for no person.'
  from config_automation
  where kind = 'member'
  having count(*) > 0
)
order by rank nulls last
