-- Candidates of findings for a team, a channel, an integration or a severity without incidents since some day, although
-- it usually has some. See findings and scoped_silences, which has the test. A severity that vanishes while the total
-- stays the same was probably renamed (kind `renamed`, detail: the severity that grew instead).
-- The subject is the part, within the first day without incidents, value the days, and before the incidents per week.
-- The amount is the share that the part usually has of all incidents. The parent is the team of a channel or the
-- channel of an integration, and `part` the share that the part usually has of it.
with
  -- Weeks before both periods, since the last one that was not read. A part can fall silent before the previous period.
  earlier as (
    select (coalesce(max(place), -1) - coalesce(max(place) filter (not is_read), -1))::int as weeks
    from scoped_places
    where period = 'earlier'
  ),
  ends as (
    select
      timezone($timezone, greatest($previous_start, coalesce($covered_from, $previous_start)))::date
        - 7 * earlier.weeks as first_day,
      timezone($timezone, $period_start)::date as period_day,
      timezone($timezone, least($as_of, $scope_end))::date as seen_day
    from earlier
  ),
  counted as (
    select
      'team ' || team_name as team,
      concat_ws(chr(31), 'channel', team_name, channel_name) as channel,
      team_name,
      channel_name,
      integration_type,
      incident_severity,
      counted_local::date as day,
      count(*) as n
    from scoped_kept
    where counted_local >= (select first_day from ends)
      and not exists (from scoped_silences where is_open)
      and not exists (from unread_within($previous_start::timestamptz, $scope_end::timestamptz))
    group by all
  ),
  parts as (
    select
      'teams' as topic,
      team as key,
      team_name as subject,
      null as whole,
      team_name,
      null as channel_name,
      null as integration_type,
      null as incident_severity,
      day,
      n
    from counted
    where team_name <> '(no channel)'
    union all
    select
      'sources',
      channel,
      channel_name,
      team,
      team_name,
      channel_name,
      null,
      null,
      day,
      n
    from counted
    where channel_name <> '(no channel)'
    union all
    select
      'integrations',
      concat_ws(chr(31), 'source', team_name, channel_name, integration_type),
      channel_name || ', ' || integration_type,
      channel,
      team_name,
      channel_name,
      integration_type,
      null,
      day,
      n
    from counted
    semi join (
      select channel
      from counted
      where integration_type <> ''
      group by channel
      having count(distinct integration_type) > 1
    ) using (channel)
    where integration_type <> ''
    union all
    select 'severities', 'severity ' || incident_severity, incident_severity, null, null, null, null,
      incident_severity, day, n
    from counted
  ),
  lasts as (
    select * exclude (day, n), max(day) as last_day from parts group by all
  ),
  silent as (
    select *, last_day + 1 as from_day, seen_day - last_day - 1 as days, last_day - first_day + 1 as days_before
    from lasts
    cross join ends
    where seen_day - last_day > 7 and last_day - first_day >= 28 and seen_day > period_day
  ),
  starts as (
    select key as series, from_day, team_name, channel_name, integration_type, incident_severity from silent
  ),
  -- Whole weeks before the gap, as far back as both periods and the weeks before reach.
  own as (
    select topic, key, sum(n) as n_before
    from silent
    join parts using (topic, key)
    where (last_day - day) // 7 < days_before // 7
    group by topic, key
  ),
  totals as (
    select topic, key, sum(n) as n_of_all, sum(n) filter (whole in (team, channel)) as n_of_whole
    from silent
    join counted on day <= last_day and (last_day - day) // 7 < days_before // 7
    group by topic, key
  ),
  tested as (
    select
      silent.*,
      per_week,
      n_before / n_of_all as usual_share,
      n_before / n_of_whole as share_of_whole,
      silence_p(usual.n, dispersion, days, 7 * weeks, days + days_before) as p
    from silent
    join usual_before('starts') as usual on usual.series = silent.key
    join own using (topic, key)
    join totals using (topic, key)
  ),
  -- The total, and the severities that grew, on both sides of the day on which a severity ended.
  moved as (
    select
      gone.key,
      counted.incident_severity as grown,
      coalesce(sum(n) filter (day >= from_day), 0) as n,
      coalesce(sum(n) filter (day < from_day), 0) as n_before,
      any_value(days) as days,
      any_value(days_before) as days_before
    from tested as gone
    cross join counted
    where gone.topic = 'severities' and gone.p < 0.01
    group by gone.key, counted.incident_severity
  ),
  shares as (
    select
      *,
      sum(n) over (partition by key) as every,
      sum(n_before) over (partition by key) as every_before,
      n / nullif(every, 0) as share,
      n_before / nullif(every_before, 0) as share_before
    from moved
  ),
  renamed as (
    select key, arg_max(grown, share - share_before) as grown
    from shares
    where every / days between 0.67 * every_before / days_before and 1.5 * every_before / days_before
      and share > share_before
      and normal_p((share - share_before) / sqrt(share_before * (1 - share_before) / every + 1e-12)) < 0.01
    group by key
  )
select
  if(renamed.key is null, 'gap', 'renamed') as kind,
  topic,
  'gap ' || key as key,
  whole as parent,
  subject,
  from_day::varchar as "within",
  days::double as value,
  per_week as before,
  share_of_whole as part,
  p,
  days::double as n,
  true as is_worse,
  renamed.grown as detail,
  usual_share as amount
from tested
left join renamed using (key)
where whole is null or not exists (from tested as other where other.key = tested.whole and other.p < 0.01)
