-- Candidates of findings: teams that were slower or faster than before. See findings and duration_changes.
with
  observed as (
    select 'acknowledge' as topic, team_name, period, place, tta as seconds, is_open, judged_at, start_time
    from scoped_times
    where not is_muted and place is not null
    union all
    select 'resolve', team_name, period, place, time_to_resolve_s, is_open, judged_at, start_time
    from scoped_times
    where not is_muted and place is not null
  ),
  watched as (
    select *, epoch(judged_at) - epoch(start_time) as watched_s from observed
  ),
  observations as (
    select
      {'topic': topic, 'team': team_name} as series,
      period = 'current' as is_now,
      place::bigint as place,
      if(seconds <= watched_s, seconds::double, 'infinity'::double) as seconds
    from watched
    where watched_s >= 0 and (coalesce(seconds <= watched_s, false) or is_open)
      and (select count(distinct team_name) > 1 from scoped_times)
  )
select
  'shift' as kind,
  series.topic as topic,
  'team ' || series.team as key,
  series.team as subject,
  median_s as value,
  median_before_s as before,
  ratio as estimate,
  ratio_low as low,
  ratio_high as high,
  if(verdict in ('shorter', 'longer'), p, 1) as p,
  n,
  verdict = 'longer' as is_worse
from duration_changes('observations')
where n >= 8 and n_before >= 8 and pairs >= 3
