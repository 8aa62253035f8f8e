-- Candidates of findings for teams that became slower or faster. See findings and duration_changes. Rank tests are
-- slow, so a team whose weekly mean logarithms hardly moved gets p 1 without a test, but still counts as tested. A team
-- differs from its peers if its weekly means moved significantly differently from those of the other teams. The kind
-- `in_time` is a team whose share acknowledged within target fell by 15 points or more. Others get p 1.
with
  -- Times that ended within the follow-up time of their period.
  watched as (
    select
      team_name,
      period = 'current' as is_now,
      if(period = 'earlier', place::bigint - 100, place::bigint) as place,
      is_open or closed_at > judged_at as is_open,
      coalesce(epoch(judged_at), 'infinity'::double) - epoch(start_time) as watched_s,
      if(tta <= watched_s, tta, null) as ack_s,
      if(time_to_resolve_s <= watched_s, time_to_resolve_s, null) as resolve_s
    from scoped_kept
    where not is_muted and place is not null and judged_at >= start_time
  ),
  weekly as (
    select
      team_name,
      place,
      is_now,
      unnest([
        {
          'topic': 'acknowledge',
          'n': count(*) filter (ack_s is not null or is_open),
          'mean': avg(ln(1 + coalesce(ack_s, greatest(watched_s, 86400)))) filter (ack_s is not null or is_open)
        },
        {
          'topic': 'resolve',
          'n': count(*) filter (resolve_s is not null or is_open),
          'mean': avg(ln(1 + coalesce(resolve_s, greatest(watched_s, 86400))))
            filter (resolve_s is not null or is_open)
        }
      ], recursive := true)
    from watched
    where (select count(distinct team_name) > 1 from scoped_kept where period <> 'earlier')
    group by team_name, place, is_now
  ),
  screened as (
    select
      topic,
      team_name,
      coalesce(
        abs(avg(mean) filter (is_now) - avg(mean) filter (not is_now)) >= 1.5 * sqrt(
          var_samp(mean) filter (is_now) / count(mean) filter (is_now)
            + var_samp(mean) filter (not is_now) / count(mean) filter (not is_now)
        ),
        false
      ) as is_wanted
    from weekly
    group by topic, team_name
    having sum(n) filter (is_now) >= 8
      and sum(n) filter (not is_now and place >= 0) >= 8
      and least(count(mean) filter (is_now), count(mean) filter (not is_now and place >= 0)) >= 3
  ),
  -- Each week is relative to all other teams together, which removes effects that all teams share, such as more
  -- incidents of one severity.
  beside as (
    select
      topic,
      team_name,
      is_now,
      weekly.mean - (every.total - weekly.n * weekly.mean) / (every.n - weekly.n) as mean
    from weekly
    join (
      select topic, place, is_now, sum(n) as n, sum(n * mean) as total from weekly group by all
    ) as every using (topic, place, is_now)
    where weekly.n > 0 and every.n > weekly.n
  ),
  -- Difference of two means, tested by the correlation with the period.
  apart as (
    select
      topic,
      team_name,
      corr(mean, is_now::int) as r,
      greatest(0, count(*) - 2) as df,
      student_p(r * sqrt(df / greatest(1e-12, 1 - r * r)), df) as p
    from beside
    group by topic, team_name
  ),
  wanted as (
    select team_name, bool_or(topic = 'acknowledge') as ack, bool_or(topic = 'resolve') as resolve
    from screened
    where is_wanted
    group by team_name
  ),
  timed as (
    select team_name, is_now, place, is_open, watched_s, unnest([
      {'topic': 'acknowledge', 'seconds': ack_s, 'is_wanted': ack},
      {'topic': 'resolve', 'seconds': resolve_s, 'is_wanted': resolve}
    ], recursive := true)
    from watched
    join wanted using (team_name)
  ),
  observations as (
    select
      {'topic': topic, 'team': team_name} as series,
      is_now,
      place,
      coalesce(seconds, watched_s)::double as seconds,
      seconds is null as is_open,
      count(*) as n
    from timed
    where is_wanted and (seconds is not null or timed.is_open)
    group by all
  ),
  changes as (
    from duration_changes(of_observations := 'observations')
  ),
  answered as (
    select
      team_name,
      series,
      judged.place as place,
      count(*) filter (ack_outcome = 'met') as hits,
      count(*) as n
    from (from scoped_targets where series <> 'running' union all from scoped_targets_earlier)
    where ack_outcome in ('met', 'missed') and judged.place is not null
    group by all
  ),
  answered_shares as (
    select
      team_name,
      sum(hits) filter (series = 'current') as met_now,
      sum(n) filter (series = 'current') as n_now,
      sum(hits) filter (series = 'previous') as met_before,
      sum(n) filter (series = 'previous') as n_before
    from answered
    group by team_name
    having n_now >= 8 and n_before >= 8
  ),
  answered_less as (
    select
      team_name,
      share_change(
        any_value(met_now), any_value(n_now), any_value(met_before), any_value(n_before),
        share_dispersion(list(weeks order by series <> 'earlier', series = 'current'))
      ) as change
    from (
      select team_name, series, list({'hits': hits, 'n': n} order by place) as weeks from answered group by all
    )
    join answered_shares as shares using (team_name)
    where met_now / n_now - met_before / n_before <= -0.15
    group by team_name
  )
select
  'shift' as kind,
  screened.topic as topic,
  'team ' || screened.team_name as key,
  screened.team_name as subject,
  median_s as value,
  median_before_s as before,
  ratio as estimate,
  ratio_low as low,
  ratio_high as high,
  coalesce(if(certainty >= 0.99, changes.p, 1), 1) as p,
  changes.n as n,
  coalesce(certainty >= 0.99 and direction > 0, false) as is_worse,
  apart.p * count(*) over (partition by screened.topic) < 0.05 and sign(r) = direction as is_apart
from screened
left join changes on changes.series = {'topic': screened.topic, 'team': screened.team_name}
left join apart on apart.topic = screened.topic and apart.team_name = screened.team_name
union all by name
select
  'in_time' as kind,
  'acknowledge' as topic,
  'in time ' || team_name as key,
  team_name as subject,
  (met_now / n_now)::double as value,
  (met_before / n_before)::double as before,
  coalesce(if(change.certainty >= 0.99, change.p, 1), 1) as p,
  n_now::double as n,
  coalesce(change.estimate < 0, false) as is_worse
from answered_shares
left join answered_less using (team_name)
where (select count(*) > 1 from answered_shares)
