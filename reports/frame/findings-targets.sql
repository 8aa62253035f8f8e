-- Candidates of findings for missed objectives of severities, and if no severity misses its objective, missed
-- objectives of teams. See findings and target_attainment. Fewer than 8 incidents are not tested. `part` is the share
-- within target without the incidents of a spike, if that meets the objective. `detail` is the team where improvement
-- should begin, and `amount` is its share. It misses its objectives and is the team furthest below the result of all
-- teams for the same severities (see teams_behind), with significance at a 5% false discovery rate over all teams and
-- both measures (Benjamini and Hochberg).
with
  targets as (
    from scoped_targets where series <> 'running' union all from scoped_targets_earlier
  ),
  shares as (from targets_attained(of_targets := 'targets')),
  attained as (from shares where series = 'current'),
  -- An objective that was missed in the previous period and in the weeks before is not new.
  missed_before as (
    select measure, incident_severity
    from shares
    where series <> 'current' and team_name = '(all)'
      and goal_verdict(met + missed, share_low, share_high, goal) = 'missed'
    group by all
    having count(*) = 2
  ),
  aimed as (
    select
      attained.*,
      goal_verdict(met + missed, share_low, share_high, goal) = 'missed' as is_missed,
      if(calm.verdict = 'met', calm.share, null) as share_without_spike,
      missed_before.measure is not null as is_standing
    from attained
    left join missed_before
      on missed_before.measure = attained.measure and missed_before.incident_severity = attained.incident_severity
    left join attained_without_spike('scoped_targets') as calm
      on calm.measure = attained.measure and calm.incident_severity = attained.incident_severity
    where team_name = '(all)'
      and attained.incident_severity <> '(all)'
      and goal is not null
      and met + missed >= 8
  ),
  -- If all severities have the same objective and miss it, they are reported together.
  missed as (
    select
      measure,
      bool_and(is_missed) and count(*) > 1 and min(goal) = max(goal) as is_by_all,
      max(goal) as goal,
      bool_and(is_standing) as is_standing,
      count(*) filter (is_missed) as severities
    from aimed
    group by measure
  ),
  -- Incidents of a spike are not typical of a team.
  outcomes as (
    select series, team_name, judged.place as place, unnest([
      {'measure': 'acknowledge', 'incident_severity': ack_severity, 'outcome': ack_outcome, 'goal': ack_goal},
      {
        'measure': 'resolve',
        'incident_severity': resolve_severity,
        'outcome': resolve_outcome,
        'goal': resolve_goal
      }
    ], recursive := true)
    from targets
    where not coalesce(judged.is_in_spike, false)
  ),
  -- Teams that missed their objectives in the previous period and in the weeks before.
  teams_missed_before as (
    select measure, team_name
    from (
      select
        series,
        measure,
        team_name,
        count(*) as n,
        count(*) filter (outcome = 'met') as met,
        avg(goal) as goal
      from outcomes
      where series <> 'current' and outcome in ('met', 'missed')
      group by all
    )
    where exact_interval(met, n).high < goal
    group by all
    having count(*) = 2
  ),
  decided as (
    select
      outcomes.series,
      measure,
      incident_severity,
      outcomes.team_name,
      place,
      outcomes.goal as goal,
      count(*) as n,
      count(*) filter (outcome = 'met') as met
    from outcomes
    join aimed using (measure, incident_severity)
    where outcomes.series = 'current' and outcome in ('met', 'missed')
    group by all
  ),
  -- `wanted` follows from the objectives.
  teams as (
    select
      measure,
      team_name,
      sum(n)::double as n,
      sum(met)::double as met,
      sum(n * goal) as wanted,
      sum(n * goal * (1 - goal)) as variance
    from decided
    group by measure, team_name
  ),
  compared as (
    select beside.*, teams.met < teams.wanted and behind < 0 as is_late
    from teams_behind(of_outcomes := 'decided') as beside
    join teams using (measure, team_name)
  ),
  ordered as (
    select
      *,
      row_number() over (order by p, measure, team_name) as tries,
      (select count(*) from compared where p is not null) as teams
    from compared
    -- A team needs several weeks for an estimate of its variation.
    where p is not null
  ),
  blamed as (
    select
      *,
      min(p * teams / tries) over (order by tries desc rows unbounded preceding) as q
    from ordered
  ),
  worst as (
    select measure, arg_min(team_name, (behind, team_name)) as detail, arg_min(share, (behind, team_name)) as amount
    from blamed
    where is_late and q < 0.05
    group by measure
  )
select
  'goal' as kind,
  'targets' as topic,
  aimed.measure || ' ' || incident_severity as key,
  incident_severity as subject,
  aimed.measure as "within",
  share as value,
  aimed.goal as before,
  share_low as low,
  share_high as high,
  (met + aimed.missed)::double as n,
  true as is_worse,
  detail,
  amount,
  share_without_spike as part,
  aimed.is_standing
from aimed
join missed using (measure)
left join worst using (measure)
where is_missed and not is_by_all
union all by name
select
  'goal' as kind,
  'targets' as topic,
  measure as key,
  null as subject,
  measure as "within",
  share as value,
  goal as before,
  share_low as low,
  share_high as high,
  (met + missed)::double as n,
  true as is_worse,
  detail,
  amount,
  is_standing
from (
  select * exclude (goal, team_name) from attained where team_name = '(all)' and incident_severity = '(all)'
)
join (select measure, goal, is_standing from missed where is_by_all) using (measure)
left join worst using (measure)
union all by name
select
  'goal' as kind,
  'targets' as topic,
  measure || ' ' || team_name as key,
  team_name as subject,
  measure as "within",
  met / n as value,
  wanted / n as before,
  ends.low as low,
  ends.high as high,
  n as n,
  true as is_worse,
  normal_p((met - wanted) / sqrt(variance)) as p,
  team_name in (select team_name from teams_missed_before where measure = teams.measure) as is_standing
from (select *, exact_interval(met, n) as ends from teams) as teams
join missed using (measure)
where missed.severities = 0 and n >= 20 and variance > 0 and ends.high < wanted / n and met / n < wanted / n - 0.05
