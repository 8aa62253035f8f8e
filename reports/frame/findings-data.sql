-- Candidates of findings for periods whose figures are less reliable than they look. Topics of `data` are `silence`,
-- `machine` and `unused`. `silence` is a data gap (subject: first day, detail: day after the last, or null while it
-- lasts, value: days, before: incidents per week). `machine` means that a machine produces times (subject: action,
-- value: times below one second, before: all times). `unused` means that no incident was ever acknowledged (value:
-- incidents). `timer` counts closes that all took the same time (amount: that time in seconds, before: all closes). A
-- `burst` is a day or week far above all others (value: incidents, before: incidents of a mean week, subject: main
-- source, detail: first day, within: `day` or `week`). `moved` is a channel that another team took over (subject:
-- channel, detail: former team, within: first day, value: incidents since, n: 0 if this was before the period, amount:
-- share of the incidents in both periods, if only one of the teams is selected).
with
  timed as (
    select unnest([{'topic': 'acknowledge', 'seconds': tta}, {'topic': 'resolve', 'seconds': ttr}], recursive := true)
    from scoped_incidents
    where period = 'current'
  ),
  machines as (
    select topic, count(seconds) as n, count(*) filter (seconds < 1) as at_once
    from timed
    group by topic
    having n >= 8 and at_once >= 0.75 * n
  ),
  closes as (
    select round(time_to_close_s)::bigint as took_s, count(*) as n
    from scoped_kept
    where period = 'current' and time_to_close_s is not null
    group by took_s
  ),
  -- Closes within one second of each time.
  near as (
    select
      took_s,
      n,
      sum(n) over (order by took_s range between 1 preceding and 1 following) as n_near,
      every
    from closes
    cross join (select sum(n) as every from closes)
  ),
  most as (
    from near where took_s >= 60 order by n_near desc, n desc, took_s limit 1
  ),
  owners as (
    select
      account_id,
      channel_id,
      team_name as taken_by,
      lag(team_name) over (partition by account_id, channel_id order by since_at nulls first) as left_by,
      since_at
    from channel_owners
  ),
  moved as (
    select
      channel_name,
      taken_by,
      left_by,
      since_at,
      count(*) filter (team_name = taken_by and counted_at >= greatest($period_start::timestamptz, since_at)) as n,
      count(*) as every
    from owners
    join cohort_times using (account_id, channel_id)
    where taken_by <> left_by
      and since_at > $previous_start::timestamptz
      and since_at < $scope_end
      and counted_at >= $previous_start::timestamptz
      and counted_at < $scope_end
      and ($teams::varchar[] is null or list_has_any($teams::varchar[], [taken_by, left_by]))
    group by all
    having n >= 8
  ),
  timer as (
    select most.*
    from most
    where n_near >= 20
      and n_near >= 0.25 * every
      and n_near >= 5 * coalesce((
        select max(others.n_near)
        from near as others
        where abs(others.took_s - most.took_s) > 2 and abs(others.took_s / most.took_s - 1) <= 0.2
      ), 0)
  )
select
  'data' as kind,
  'silence' as topic,
  from_day::varchar as key,
  from_day::varchar as subject,
  days::double as value,
  per_week as before,
  null::double as p,
  days::double as n,
  true as is_worse,
  if(is_open, null, to_day::varchar) as detail
from scoped_silences
where in_current > 0 or is_open
union all by name
select
  'data' as kind,
  'machine' as topic,
  topic as key,
  topic as subject,
  at_once::double as value,
  n::double as before,
  null::double as p,
  n::double as n,
  false as is_worse,
  null as detail
from machines
union all by name
select
  'data' as kind,
  'unused' as topic,
  'acknowledge' as key,
  'acknowledge' as subject,
  count(*)::double as value,
  null as before,
  null::double as p,
  count(*)::double as n,
  false as is_worse,
  null as detail
from scoped_incidents
where period = 'current'
having count(*) > 0 and bool_and(account_id in (select account_id from never_acknowledging))
union all by name
select
  'burst' as kind,
  if(channel_name is null, 'counts', 'sources') as topic,
  coalesce(concat_ws(chr(31), 'channel', team_name, channel_name), 'all') as key,
  channel_name as subject,
  if(is_day, 'day', 'week') as "within",
  n_days::double as value,
  per_week as before,
  null as p,
  n_days::double as n,
  true as is_worse,
  from_day::varchar as detail
from scoped_bursts
where period = 'current'
union all by name
select
  'timer' as kind,
  'resolve' as topic,
  'timer' as key,
  n_near::double as value,
  every::double as before,
  n_near::double as n,
  true as is_worse,
  took_s::double as amount,
  true as is_standing
from timer
union all by name
select
  'moved' as kind,
  'sources' as topic,
  concat_ws(chr(31), 'moved', taken_by, channel_name) as key,
  channel_name as subject,
  timezone($timezone, since_at)::date::varchar as "within",
  n::double as value,
  if(since_at >= $period_start, n, 0)::double as n,
  false as is_worse,
  left_by as detail,
  if(
    $teams::varchar[] is null or list_has_all($teams::varchar[], [taken_by, left_by]),
    0,
    every / (select count(*) from scoped_kept where period in ('current', 'previous'))
  ) as amount
from moved
