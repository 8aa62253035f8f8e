-- Headline times of the period under every rule, see definition_sensitivity.
with counted as (from scoped_incidents where period = 'current')
select measure, policy, is_chosen, n, median_s, mean_s
from definition_sensitivity(of_incidents := 'counted')
order by measure, is_chosen desc, policy
