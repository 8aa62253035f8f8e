-- Candidates of findings for counts of teams, channels, sources, severities, hours and dimension values, and for
-- trends. See findings and count_candidates. The detail is the day of the first incident, for new subjects. If several
-- teams are new, one candidate (kind `new`) is about all of them. Its value is their incidents, and before is the
-- increase of all incidents. The kind `mix` is a severity mix that differs between the halves of the period (see
-- mix_change). Its subject is the severity whose share moved most, value and before are its shares. Spikes are
-- excluded, because they have their own finding and hide changes in other weeks.
with
  scoped_kept as (
    from scoped_kept
    where place is not null and not is_in_spike(period, counted_local, team_name, channel_name)
  ),
  cells as (
    select team_name, channel_name, integration_type, period, place::bigint as place, count(*) as n
    from scoped_kept
    group by all
  ),
  severities as (
    select incident_severity, period, place::bigint as place, count(*) as n
    from scoped_kept
    group by all
  ),
  owned as (
    select dimension.key as dimension, dimension.value as owner, period, place, count(*) as n
    from (select unnest(map_entries(dimensions)) as dimension, period, place::bigint as place from scoped_kept)
    group by all
  ),
  -- A single value equals the total.
  of_many as (
    select dimension from owned group by dimension having count(distinct owner) > 1
  ),
  several as (
    select
      count(distinct team_name) > 1 as have_teams,
      count(distinct (team_name, channel_name)) > 1 as have_channels
    from cells
  ),
  -- An integration is more specific than its channel only if the channel has several.
  of_several as (
    select team_name, channel_name
    from cells
    where integration_type <> ''
    group by all
    having count(distinct integration_type) > 1
  ),
  counts as (
    from no_subject_counts()
    union all by name
    select
      'counts' as topic,
      'all' as key,
      null as parent,
      'all' as subject,
      false as is_share,
      period,
      place,
      sum(n) as n
    from severities
    group by period, place
    union all by name
    select
      'severities' as topic,
      'severity ' || incident_severity as key,
      'all' as parent,
      incident_severity as subject,
      period,
      place,
      n
    from severities
    where (select count(distinct incident_severity) from severities) > 1
    union all by name
    select
      'teams' as topic,
      'team ' || team_name as key,
      'all' as parent,
      team_name as subject,
      period,
      place,
      sum(n) as n
    from cells
    where team_name <> '(no channel)' and (select have_teams from several)
    group by team_name, period, place
    union all by name
    select
      'sources' as topic,
      concat_ws(chr(31), 'channel', team_name, channel_name) as key,
      if(
        team_name <> '(no channel)' and (select have_teams from several), 'team ' || team_name, 'all'
      ) as parent,
      channel_name as subject,
      period,
      place,
      sum(n) as n
    from cells
    where (select have_channels from several)
    group by team_name, channel_name, period, place
    union all by name
    select
      'integrations' as topic,
      concat_ws(chr(31), 'source', team_name, channel_name, integration_type) as key,
      concat_ws(chr(31), 'channel', team_name, channel_name) as parent,
      channel_name || ', ' || integration_type as subject,
      period,
      place,
      n
    from cells
    semi join of_several using (team_name, channel_name)
    where integration_type <> ''
    union all by name
    select
      'dimension ' || dimension as topic,
      concat_ws(chr(31), 'dimension', dimension, owner) as key,
      'all' as parent,
      owner as subject,
      period,
      place,
      n
    from owned
    semi join of_many using (dimension)
    where owner <> '(none)'
    union all by name
    select
      'hours' as topic,
      'hour ' || hour(started_local) as key,
      hour(started_local)::varchar as subject,
      true as is_share,
      period,
      place::bigint as place,
      count(*) as n
    from scoped_kept
    where period <> 'earlier'
    group by all
  ),
  given as (
    select * replace (coalesce(is_share, false) as is_share, n::bigint as n) from counts
  ),
  -- Two periods are compared if nearly all of both was read. Earlier weeks count if they were read.
  read_weeks as (
    select period, place, days from scoped_places where is_read or period <> 'earlier'
  ),
  latest as (
    select
      bool_and(is_read) filter (place = last_place) as is_week_read,
      bool_and(is_read) filter (place > last_place - 4) as is_month_read
    from scoped_places
    cross join (select max(place) as last_place from scoped_places where period = 'current')
    where period = 'current'
  ),
  rising as (
    select
      severity,
      sum(n)::double as n,
      count_trend(list({'n': n, 'days': days} order by place)) as trend
    from (
      select severity, places.place, days, coalesce(sum(n), 0) as n
      from (from scoped_places where period = 'current' and is_read) as places
      cross join (values ('all'), ('Critical')) as wanted (severity)
      left join severities
        on severities.period = 'current'
        and severities.place = places.place
        and severity in ('all', incident_severity)
      group by all
    )
    group by severity
  ),
  mixed as (
    select place as week, incident_severity as part, count(*) as n
    from scoped_kept
    where period = 'current' and not exists (from scoped_bursts where period = 'current')
    group by all
  ),
  mix_weeks as (
    select week, row_number() over (order by week) as place from (select distinct week from mixed)
  ),
  -- Shares in both halves of the period, with the halves of mix_change.
  halves as (
    select
      part,
      coalesce(sum(n) filter (2 * place > weeks), 0) as n,
      coalesce(sum(n) filter (2 * place <= weeks), 0) as n_before
    from mixed
    join mix_weeks using (week)
    cross join (select count(*) as weeks from mix_weeks)
    group by part
  ),
  mix_shares as (
    select part, n / of_all as share, n_before / of_all_before as share_before
    from halves
    cross join (select nullif(sum(n), 0) as of_all, nullif(sum(n_before), 0) as of_all_before from halves)
  ),
  mix_moves as (
    select
      arg_max({'part': part, 'share': share, 'share_before': share_before}, abs(share - share_before)) as most,
      sum(share - share_before) filter (part in ('Critical', 'Warning')) as more_serious
    from mix_shares
  ),
  new_teams as (
    select list(subject order by n desc, subject) as names, sum(n) as n, min(first_on) as first_on
    from (
      select subject, first_on, sum(n) as n
      from given
      join scoped_firsts using (topic, key)
      where topic = 'teams' and period = 'current'
      group by all
    )
  )
select found.*, first_on::varchar as detail
from count_candidates('given', 'read_weeks') as found
left join scoped_firsts using (topic, key)
cross join latest
where case kind when 'week' then is_week_read when 'month' then is_month_read else true end
union all by name
select
  'mix' as kind,
  'severities' as topic,
  'mix' as key,
  most.part as subject,
  most.share::double as value,
  most.share_before::double as before,
  -- The severity report calls the mix changed at the same limit.
  if(p < 0.01, p, 1) as p,
  (n_first + n_second)::double as n,
  coalesce(more_serious > 0, false) as is_worse
from mix_change(of_counts := 'mixed')
cross join mix_moves
union all by name
select
  'new' as kind,
  'teams' as topic,
  'new teams' as key,
  if(len(names) > 3 or len(joined) > 60, len(names) || ' teams', joined) as subject,
  n::double as value,
  all_incidents.more as before,
  n::double as n,
  true as is_worse,
  first_on::varchar as detail
from new_teams
cross join (select array_to_string(names[:-2], ', ') || ' and ' || names[-1] as joined from new_teams)
cross join (
  select (sum(n) filter (period = 'current') - sum(n) filter (period = 'previous'))::double as more
  from given
  where topic = 'counts'
) as all_incidents
where len(names) > 1 and n >= 20
union all by name
select
  'trend' as kind,
  'counts' as topic,
  'trend ' || severity as key,
  if(severity = 'all', 'all', 'severity ' || severity) as parent,
  severity as subject,
  n as value,
  trend.ratio as estimate,
  trend.low as low,
  trend.high as high,
  trend.p as p,
  n,
  trend.ratio > 1 as is_worse
from rising
where trend is not null
