-- Candidates of findings: goals that are missed, of severities, and of teams where no severity misses its own. See findings and
-- target_attainment.
with
  counted as (from scoped_incidents where period = 'current'),
  attained as (from target_attainment(of_incidents := 'counted')),
  aimed as (
    select *, share_high < goal as is_missed
    from attained
    where team_name = '(all)' and incident_severity <> '(all)' and goal is not null and met + missed > 0
  ),
  -- Where all severities with the same goal miss it, all of them are spoken of.
  missed as (
    select
      measure,
      bool_and(is_missed) and count(*) > 1 and min(goal) = max(goal) as is_by_all,
      max(goal) as goal,
      count(*) filter (is_missed) as severities
    from aimed
    group by measure
  ),
  teams as (
    select
      attained.measure,
      attained.team_name,
      sum(attained.met) as met,
      sum(attained.met + attained.missed) as n,
      sum((attained.met + attained.missed) * goals.goal) as wanted,
      sum((met + missed) * goals.goal * (1 - goals.goal)) as variance
    from attained
    join (select distinct measure, incident_severity, goal from aimed) as goals using (measure, incident_severity)
    where attained.team_name <> '(all)'
    group by all
    having sum(met + missed) >= 20
  ),
  worst as (
    select measure, arg_max(team_name, (wanted - met, team_name)) as team_name from teams
    where team_name not in ('(no channel)', '(unknown)') and (select count(*) from teams) > 2
    group by measure
  )
select
  'goal' as kind, 'targets' as topic, aimed.measure || ' ' || incident_severity as key, incident_severity as subject, aimed.measure as "within",
  share as value, aimed.goal as before, share_low as low, share_high as high, (met + aimed.missed)::double as n, true as is_worse,
  worst.team_name as detail
from aimed
join missed using (measure)
left join worst using (measure)
where is_missed and not is_by_all
union all by name
select
  'goal' as kind, 'targets' as topic, measure as key, null as subject, measure as "within", share as value, goal as before,
  share_low as low, share_high as high, (met + missed)::double as n, true as is_worse, worst.team_name as detail
from (select * exclude (goal, team_name) from attained where team_name = '(all)' and incident_severity = '(all)')
join (select measure, goal from missed where is_by_all) using (measure)
left join worst using (measure)
union all by name
select
  'goal' as kind, 'targets' as topic, measure || ' ' || team_name as key, team_name as subject, measure as "within", met / n as value,
  wanted / n as before, wilson_interval(met, n).low as low, wilson_interval(met, n).high as high, n::double as n, true as is_worse,
  normal_p((met - wanted) / sqrt(variance)) as p
from teams
join missed using (measure)
where missed.severities = 0 and variance > 0 and met / n < wanted / n - 0.05
