-- Candidates of findings: teams that were slower or faster than before. See findings and duration_changes. Ranks cost:
-- of a team whose mean logarithms hardly moved, week for week, they are not asked for, since they could not be sure; it
-- is looked at all the same.
with
  -- Times that had come while the period was watched.
  watched as (
    select
      team_name,
      period = 'current' as is_now,
      place::bigint as place,
      is_open,
      coalesce(epoch(judged_at), 'infinity'::double) - epoch(start_time) as watched_s,
      if(tta <= watched_s, tta, null) as ack_s,
      if(time_to_resolve_s <= watched_s, time_to_resolve_s, null) as resolve_s
    from scoped_times
    where not is_muted and place is not null and judged_at >= start_time
  ),
  -- What is still open is longer than all that was seen.
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
    where (select count(distinct team_name) > 1 from scoped_times)
    group by team_name, place, is_now
  ),
  pairs as (
    select
      topic,
      team_name,
      sum(n) filter (is_now) as n_now,
      sum(n) filter (not is_now) as n_before,
      any_value(mean) filter (is_now) - any_value(mean) filter (not is_now) as moved
    from weekly
    group by topic, team_name, place
  ),
  screened as (
    select
      topic,
      team_name,
      abs(avg(moved)) >= 1.5 * stddev_samp(moved) / sqrt(count(moved)) as is_wanted
    from pairs
    group by topic, team_name
    having sum(n_now) >= 8 and sum(n_before) >= 8 and count(moved) >= 3
  ),
  wanted as (
    select team_name, bool_or(topic = 'acknowledge') as ack, bool_or(topic = 'resolve') as resolve
    from screened
    where is_wanted
    group by team_name
  ),
  observations as (
    from no_observations
    union all by name
    select
      {'topic': 'acknowledge', 'team': team_name}::varchar as series,
      is_now,
      place,
      coalesce(ack_s::double, 'infinity'::double) as seconds,
      count(*) as n
    from watched
    join wanted using (team_name)
    where ack and (ack_s is not null or is_open)
    group by all
    union all by name
    select
      {'topic': 'resolve', 'team': team_name}::varchar as series,
      is_now,
      place,
      coalesce(resolve_s::double, 'infinity'::double) as seconds,
      count(*) as n
    from watched
    join wanted using (team_name)
    where resolve and (resolve_s is not null or is_open)
    group by all
  ),
  changes as (
    from duration_changes('observations')
  )
select
  'shift' as kind,
  screened.topic as topic,
  'team ' || team_name as key,
  team_name as subject,
  median_s as value,
  median_before_s as before,
  ratio as estimate,
  ratio_low as low,
  ratio_high as high,
  coalesce(if(verdict in ('shorter', 'longer'), p, 1), 1) as p,
  n,
  coalesce(verdict = 'longer', false) as is_worse
from screened
left join changes on changes.series = {'topic': screened.topic, 'team': team_name}::varchar
