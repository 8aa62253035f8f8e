-- Candidates of findings for a team, a channel, an integration or a severity without incidents for a time, although it
-- usually has some. See findings and scoped_silences, which has the test. A `gap` lasts until now. A part is
-- `resumed` if its incidents came back (detail: first day with incidents). A severity that vanishes while the total
-- stays the same was probably renamed (kind `renamed`, detail: the severity that grew). The subject is the
-- part, within the first day without incidents, value the days, and before the incidents per week.
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
  -- Each time between two days with incidents, and the time since the last one.
  spans as (
    select
      * exclude (day),
      day + 1 as from_day,
      coalesce(lead(day) over (partition by topic, key order by day), seen_day) as to_day
    from (select distinct * exclude (n) from parts)
    cross join ends
  ),
  -- The current gap of each part, and its longest former one. A gap of all incidents is a finding of its own.
  silent as (
    select *, to_day = seen_day as is_open, to_day - from_day as days, from_day - first_day as days_before
    from spans
    where to_day - from_day >= 7
      and from_day - first_day > 28
      and seen_day > period_day
      and not exists (
        from scoped_silences as whole where whole.from_day < spans.to_day and whole.to_day > spans.from_day
      )
    qualify row_number() over (partition by topic, key, is_open order by days desc, from_day desc) = 1
  ),
  starts as (
    select key as series, from_day, team_name, channel_name, integration_type, incident_severity from silent
  ),
  -- Whole weeks before the gap, as far back as both periods and the weeks before reach.
  own as (
    select topic, key, from_day, sum(n) as n_before
    from silent
    join parts using (topic, key)
    where day < from_day and (from_day - 1 - day) // 7 < days_before // 7
    group by all
  ),
  totals as (
    select topic, key, from_day, sum(n) as n_of_all, sum(n) filter (whole in (team, channel)) as n_of_whole
    from silent
    join counted on day < from_day and (from_day - 1 - day) // 7 < days_before // 7
    group by all
  ),
  judged as (
    select
      silent.*,
      per_week,
      n_before / n_of_all as usual_share,
      n_before / n_of_whole as share_of_whole,
      silence_p(usual.n, dispersion, days, 7 * weeks, seen_day - first_day) as p
    from silent
    join (select series as key, from_day, n, weeks, per_week, dispersion from usual_before('starts')) as usual
      using (key, from_day)
    join own using (topic, key, from_day)
    join totals using (topic, key, from_day)
  ),
  -- Each part was tested for a current and a former gap. The correction (Benjamini and Hochberg, 1%) is for these tests
  -- only, so that every page has the same gaps.
  tested as (
    select *, min(p * tests / place) over (order by place desc rows unbounded preceding) as q
    from (
      select
        *,
        row_number() over (order by p, topic, key, from_day) as place,
        2 * (select count(distinct (topic, key)) from parts) as tests
      from judged
    )
  ),
  -- The total, and the severities that grew, on both sides of the day on which a severity ended. If none was
  -- renamed, each of the others gains share in proportion (`expected`). Otherwise, one severity gains all of it.
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
    where gone.topic = 'severities' and gone.is_open and gone.q < 0.01
    group by gone.key, counted.incident_severity
  ),
  shares as (
    select
      *,
      sum(n) over (partition by key) as every,
      sum(n_before) over (partition by key) as every_before,
      n / nullif(every, 0) as share,
      1 - max(n_before) filter ('severity ' || grown = key) over (partition by key) / every_before as kept,
      n_before / (every_before * kept) as expected,
      (every / days) / (every_before / days_before) as ratio
    from moved
  ),
  renamed as (
    select key, arg_max(grown, share - expected) as grown
    from shares
    where ratio between 0.67 and 1.5
      and if(expected > 0.99, ratio > (1 + kept) / 2, share > (expected + expected * kept + 1 - kept) / 2)
    group by key
  )
select
  case when not is_open then 'resumed' when renamed.key is null then 'gap' else 'renamed' end as kind,
  topic,
  'gap ' || key as key,
  whole as parent,
  subject,
  from_day::varchar as "within",
  days::double as value,
  per_week as before,
  share_of_whole as part,
  if(tested.q < 0.01, null, p) as p,
  days::double as n,
  is_open as is_worse,
  if(is_open, renamed.grown, to_day::varchar) as detail,
  usual_share as amount
from tested
left join renamed using (key)
-- The gap of a team explains that of its channel, and one of a large part explains that of a severity.
where not exists (
  from tested as other
  where other.q < 0.01
    and if(
      tested.topic = 'severities',
      other.topic in ('teams', 'sources')
        and other.usual_share >= 0.1
        and other.from_day < tested.to_day
        and other.to_day > tested.from_day,
      other.key = tested.whole and other.is_open = tested.is_open
    )
)
