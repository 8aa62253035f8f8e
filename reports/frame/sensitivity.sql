-- The headline times of the period under every rule in use: how much of a figure is the rule. The same as the row of all
-- severities and teams of definition_sensitivity, without working out every other row of it.
with
  counted as (from scoped_incidents where period = 'current'),
  chosen (measure, policy) as (
    values ('time_to_ack', $ack_policy::varchar), ('time_to_resolve', 'handled_by_people')
  )
select
  measure,
  policy,
  (measure, policy) in (select (measure, policy) from chosen) as is_chosen,
  count(seconds) as n,
  median(seconds) as median_s,
  avg(seconds) as mean_s
from policy_times(of_incidents := 'counted')
group by measure, policy
order by measure, is_chosen desc, policy
