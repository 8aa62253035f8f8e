-- Candidates of findings for standing facts, which are true in this period, whatever changed. See findings. A fact is
-- `dominant` if one alert family, channel or team has far more incidents than any other. Its value is their number,
-- before the number of all, and amount the hour of nearly all of them, if there is one. `never_closed` counts incidents
-- that are open a week after their start, and all of that age. `timer` counts closes that all took the same time, and
-- all closes. Its amount is that time in seconds. A team is `apart` if its median is at least twice that of the other
-- teams in this and the previous period. Value and before are both medians. The test ranks incidents within their
-- severity and takes the mean rank of each week as one observation. Source: Conover and Iman 1981, Am. Stat. 35,
-- 124-129.
with
  titles as (
    select title, alert_family(title) as family
    from (
      select distinct title
      from scoped_kept
      join scoped_details using (account_id, incident_id)
      where period = 'current' and title <> ''
    )
  ),
  placed as (
    select team_name, channel_name, title, started_local::date as day, hour(started_local) as hour
    from scoped_kept
    join scoped_details using (account_id, incident_id)
    where period = 'current'
  ),
  counted as (
    select
      'families' as topic,
      family as key,
      alert_family_name(family) as subject,
      count(*) as n,
      mode(hour) as hour,
      max(hours.n) as n_at_hour,
      0.3 as least_share,
      1 as least_parts
    from placed
    join titles using (title)
    join (select family, hour, count(*) as n from placed join titles using (title) group by all) as hours
      using (family, hour)
    group by family
    union all
    select
      'sources',
      concat_ws(chr(31), 'channel', team_name, channel_name),
      channel_name,
      count(*),
      null,
      null,
      0.5,
      4
    from placed
    group by team_name, channel_name
    union all
    select 'teams', 'team ' || team_name, team_name, count(*), null, null, 0.5, 4
    from placed
    group by team_name
  ),
  ranked as (
    select
      *,
      row_number() over (partition by topic order by n desc, key) as place,
      coalesce(lead(n) over (partition by topic order by n desc, key), 0) as next,
      count(*) over (partition by topic) as parts
    from counted
  ),
  dominant as (
    select *
    from ranked
    cross join (select count(*) as every from placed)
    where place = 1 and n >= 20 and n >= least_share * every and n >= 3 * next and parts >= least_parts
  ),
  aged as (
    select count(*) as n, count(*) filter (is_open) as open
    from scoped_kept
    where period = 'current' and start_time <= $as_of::timestamptz - interval 7 day
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
  timed as (
    from near where took_s >= 60 order by n_near desc, n desc, took_s limit 1
  ),
  timer as (
    select timed.*
    from timed
    where n_near >= 20
      and n_near >= 0.25 * every
      and n_near >= 5 * coalesce((
        select max(others.n_near)
        from near as others
        where abs(others.took_s - timed.took_s) > 2 and abs(others.took_s / timed.took_s - 1) <= 0.2
      ), 0)
  ),
  times as (
    select team_name, period, place::bigint as place, incident_severity, unnest([
      {'topic': 'acknowledge', 'seconds': tta},
      {'topic': 'resolve', 'seconds': time_to_resolve_s}
    ], recursive := true)
    from scoped_kept
    where period in ('current', 'previous') and place is not null
  ),
  known as (
    select
      * replace (seconds::double as seconds),
      (rank() over same_kind + (count(*) over same_time - 1) / 2 - 0.5) / count(*) over every_kind as score
    from times
    where seconds is not null
    window
      same_kind as (partition by topic, period, incident_severity order by seconds),
      same_time as (partition by topic, period, incident_severity, seconds),
      every_kind as (partition by topic, period, incident_severity)
  ),
  teams_of_topic as (
    select topic, period, team_name, median(seconds) as own_s, count(*) as n from known group by all having n >= 8
  ),
  medians as (
    select
      own.topic,
      own.team_name,
      own.period,
      any_value(own.own_s) as own_s,
      any_value(own.n) as n,
      median(known.seconds) as others_s
    from teams_of_topic as own
    join known on known.topic = own.topic and known.period = own.period and known.team_name <> own.team_name
    where own.team_name <> '(no channel)'
    group by own.topic, own.team_name, own.period
    having count(*) >= 20
  ),
  weekly as (
    select topic, team_name, place, count(*) as n, sum(score) as score
    from known
    where period = 'current'
    group by all
  ),
  beside as (
    select
      topic,
      team_name,
      avg(weekly.score / weekly.n - (every.score - weekly.score) / (every.n - weekly.n)) as difference,
      stddev_samp(weekly.score / weekly.n - (every.score - weekly.score) / (every.n - weekly.n)) as spread,
      count(*) as weeks,
      sum(weekly.n) as n
    from weekly
    join (select topic, place, sum(n) as n, sum(score) as score from weekly group by all) as every
      using (topic, place)
    where every.n > weekly.n
    group by topic, team_name
    having count(*) >= 4
  ),
  apart as (
    select
      now.topic,
      now.team_name,
      now.own_s,
      now.others_s,
      now.n,
      before.own_s is not null as is_standing,
      -- Never more certain than independent incidents would be.
      greatest(
        student_p(difference / greatest(1e-9, spread / sqrt(weeks)), weeks - 1),
        normal_p(difference * sqrt(12 * beside.n))
      ) as p,
      difference > 0
        and now.own_s >= 2 * now.others_s
        and coalesce(before.own_s >= 1.5 * before.others_s, not $is_compared) as is_slow
    from medians as now
    join beside using (topic, team_name)
    left join medians as before
      on before.topic = now.topic and before.team_name = now.team_name and before.period = 'previous'
    where now.period = 'current'
  )
select
  'dominant' as kind,
  topic,
  key,
  subject,
  n::double as value,
  every::double as before,
  null::double as p,
  n::double as n,
  true as is_worse,
  if(n_at_hour >= 0.9 * n, hour, null)::double as amount,
  true as is_standing
from dominant
union all by name
select
  'never_closed' as kind,
  'open' as topic,
  'never closed' as key,
  open::double as value,
  n::double as before,
  open::double as n,
  true as is_worse,
  true as is_standing
from aged
where open >= 8 and open >= 0.1 * n
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
  'apart' as kind,
  topic,
  'apart ' || team_name as key,
  team_name as subject,
  own_s as value,
  others_s as before,
  if(is_slow, p, 1) as p,
  n::double as n,
  true as is_worse,
  is_standing
from apart
