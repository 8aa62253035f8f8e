-- What the configuration leaves out and why, and by what else it tells incidents apart: a rule each.
select 'Left out: ' || name as term, coalesce(reason || '; ', '') || 'where ' || condition as text
from config_exclusions
order by rank
