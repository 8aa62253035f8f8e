-- Spikes: the week of a period far above any other, in total or for one channel, see bursts_in. If one day has nearly
-- all of it, the spike is that day. Spikes are not typical of other weeks.
-- period, place: the week. n: its incidents. per_week: see usual_before, or null if unknown
-- from_day, to_day: its local days, with an exclusive end. n_days: their incidents. is_day: it is one day
-- is_of_all: of all incidents, not of one channel
-- team_name, channel_name: main source, or null if there are several
with
  timed as (
    select period, place::bigint as place, counted_local::date as day, team_name, channel_name
    from scoped_kept
    where place is not null and period <> 'earlier'
  ),
  daily as (
    select null::varchar as team_name, null::varchar as channel_name, period, place, day, count(*) as n
    from timed
    group by period, place, day
    union all
    select team_name, channel_name, period, place, day, count(*)
    from timed
    group by all
  ),
  weekly as (
    select {'team': team_name, 'channel': channel_name} as series, period, place, sum(n) as n from daily group by all
  ),
  bursts as (
    select *, series.channel is null as is_of_all from bursts_in('weekly')
  ),
  -- A spike of all incidents replaces the spike of a channel.
  chosen as (
    from bursts
    where is_of_all or not exists (
      from bursts as other where other.is_of_all and other.period = bursts.period and other.place = bursts.place
    )
  ),
  dated as (
    select
      chosen.* exclude (largest_other),
      series.team as team,
      series.channel as channel,
      max(daily.n) as most,
      arg_max(day, (daily.n, day)) as top_day,
      min(day) as first_day,
      max(day) as last_day
    from chosen
    join daily
      on daily.period = chosen.period
      and daily.place = chosen.place
      and daily.team_name is not distinct from series.team
      and daily.channel_name is not distinct from series.channel
    group by all
  ),
  found as (
    select
      * exclude (most, top_day, first_day, last_day),
      most >= 0.8 * n as is_day,
      if(is_day, top_day, first_day) as from_day,
      if(is_day, top_day, last_day) + 1 as to_day,
      if(is_day, most, n) as n_days
    from dated
  ),
  starts as (
    select
      series,
      from_day,
      team as team_name,
      channel as channel_name,
      null as integration_type,
      null as incident_severity
    from found
  ),
  sources as (
    select found.period, found.place, timed.team_name, timed.channel_name, count(*) as n
    from timed
    join found on found.is_of_all and found.period = timed.period and day >= from_day and day < to_day
    group by all
  )
select
  found.* exclude (series, team, channel),
  usual.per_week as per_week,
  coalesce(found.team, sources.team_name) as team_name,
  coalesce(found.channel, sources.channel_name) as channel_name
from found
left join usual_before('starts') as usual on usual.series = found.series and usual.from_day = found.from_day
left join sources
  on found.is_of_all
  and sources.period = found.period
  and sources.place = found.place
  and sources.n >= 0.8 * found.n_days
order by period, place, team_name, channel_name
