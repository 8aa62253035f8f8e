-- Candidates of findings for standing facts, which are true in this period, whatever changed. See findings. A fact is
-- `dominant` if one alert family, channel or team has far more incidents than any other. Its value is their number,
-- before the number of all, amount the hour of nearly all of them, if there is one, and part the share that belongs to
-- a spike. `never_closed` counts incidents that are open a week after their start, and all of that age.
-- `unreviewed` counts Critical incidents without a post-mortem a week after their close, and all of these. A team is
-- `apart` if its median is at least twice that of the other teams in this period, and 1.5 times in the previous one.
-- Value and before are both medians, part and amount the shortest and the longest median of another team. They are null
-- if another team is nearly as slow. The test compares the weekly mean logarithms of the team and of all others,
-- relative to the mean of their severity. It has one observation for each week, and is never more certain than
-- independent incidents would be. A team is `behind` if its share acknowledged within target is 15 points or more below
-- that of the other teams, and was in the previous period (half as much suffices there). Value and before are both
-- shares, see teams_behind. If the targets have no objective, these are the shares acknowledged at all (detail: `any`).
with
  placed as (
    select
      team_name,
      channel_name,
      title,
      hour(started_local) as hour,
      is_in_spike(period, counted_local, team_name, channel_name) as is_in_spike
    from scoped_kept
    join scoped_details using (account_id, incident_id)
    where period = 'current'
  ),
  by_title as (
    select title, hour, count(*) as n, count(*) filter (is_in_spike) as in_spike
    from placed
    where title <> ''
    group by all
  ),
  by_hour as (
    select family, hour, sum(n) as n, sum(in_spike) as in_spike
    from by_title
    join scoped_families using (title)
    group by all
  ),
  counted as (
    select
      'families' as topic,
      family as key,
      alert_family_name(family) as subject,
      sum(n) as n,
      sum(in_spike) as in_spike,
      arg_max(hour, n) as hour,
      max(n) as n_at_hour,
      0.3 as least_share,
      1 as least_parts
    from by_hour
    group by family
    union all
    select
      'sources',
      concat_ws(chr(31), 'channel', team_name, channel_name),
      channel_name,
      count(*),
      count(*) filter (is_in_spike),
      null,
      null,
      0.5,
      4
    from placed
    group by team_name, channel_name
    union all
    select 'teams', 'team ' || team_name, team_name, count(*), count(*) filter (is_in_spike), null, null, 0.5, 4
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
  -- In a company that writes post-mortems, a Critical incident should have one a week after its close.
  reviewed as (
    select
      count(*) filter (is_due) as n,
      count(*) filter (is_due and not has_post_mortem(post_mortem_id)) as missing,
      count(*) filter (has_post_mortem(post_mortem_id)) as written
    from (
      select
        post_mortem_id,
        incident_severity = 'Critical' and closed_at <= $as_of::timestamptz - interval 7 day as is_due
      from scoped_kept
      where period = 'current' and not is_open
    )
  ),
  times as (
    select team_name, period, place, incident_severity, unnest([
      {'topic': 'acknowledge', 'seconds': tta},
      {'topic': 'resolve', 'seconds': time_to_resolve_s}
    ], recursive := true)
    from (
      select team_name, period, place::bigint as place, incident_severity, tta, time_to_resolve_s
      from scoped_kept
      where period in ('current', 'previous') and place is not null
      union all
      from scoped_others
    )
  ),
  known as (
    select topic, period, team_name, place, incident_severity, seconds::double as seconds, ln(1 + seconds) as size
    from times
    where seconds is not null
  ),
  -- Sizes are relative to the mean of their severity, so that a team with more Info incidents is not slower for that.
  severities as (
    select topic, incident_severity, avg(size) as usual from known where period = 'current' group by all
  ),
  weekly as (
    select
      topic,
      team_name,
      place,
      count(*) as n,
      sum(size - usual) as total,
      sum(pow(size - usual, 2)) as squares
    from known
    join severities using (topic, incident_severity)
    where period = 'current'
    group by all
  ),
  beside as (
    select
      topic,
      team_name,
      avg(weekly.total / weekly.n - (every.total - weekly.total) / (every.n - weekly.n)) as difference,
      stddev_samp(weekly.total / weekly.n - (every.total - weekly.total) / (every.n - weekly.n)) as spread,
      count(*) as weeks,
      sum(weekly.n) as n,
      greatest(
        student_p(difference / greatest(1e-9, spread / sqrt(weeks)), weeks - 1),
        normal_p(difference / sqrt(any_value(variance) * (1 / sum(weekly.n) + 1 / sum(every.n - weekly.n))))
      ) as p
    from weekly
    join (select topic, place, sum(n) as n, sum(total) as total from weekly group by all) as every
      using (topic, place)
    join (select topic, greatest(1e-9, sum(squares) / sum(n)) as variance from weekly group by topic) using (topic)
    where every.n > weekly.n
      and team_name <> '(no channel)'
      and ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
    group by topic, team_name
    having count(*) >= 4 and sum(weekly.n) >= 8 and sum(every.n - weekly.n) >= 20
  ),
  -- Medians are expensive, so only teams that can be significant and twice as slow get them (ln 2 is 0.69).
  slow as (
    select topic, team_name from beside where difference > 0.35 and p < 0.05
  ),
  medians as (
    select
      slow.topic,
      slow.team_name,
      period,
      median(seconds) filter (known.team_name = slow.team_name) as own_s,
      median(seconds) filter (known.team_name <> slow.team_name) as others_s,
      count(*) filter (known.team_name = slow.team_name) >= 8
        and count(*) filter (known.team_name <> slow.team_name) >= 20 as is_enough
    from slow
    join known using (topic)
    group by slow.topic, slow.team_name, period
  ),
  -- The medians of single teams, of which the sentence names the range.
  each_team as (
    select topic, team_name, median(seconds) as median_s
    from known
    semi join slow using (topic)
    where period = 'current' and team_name <> '(no channel)'
    group by topic, team_name
    having count(*) >= 8
  ),
  ranges as (
    select slow.topic, slow.team_name, min(median_s) as least_s, max(median_s) as most_s
    from slow
    join each_team on each_team.topic = slow.topic and each_team.team_name <> slow.team_name
    group by slow.topic, slow.team_name
  ),
  apart as (
    select
      beside.topic,
      beside.team_name,
      now.own_s,
      now.others_s,
      if(2 * most_s <= now.own_s, least_s, null) as least_s,
      if(2 * most_s <= now.own_s, most_s, null) as most_s,
      beside.n,
      before.own_s is not null as is_standing,
      p,
      coalesce(
        now.is_enough
          and now.own_s >= 2 * now.others_s
          and coalesce(before.own_s >= 1.5 * before.others_s, not $is_compared),
        false
      ) as is_slow
    from beside
    left join ranges using (topic, team_name)
    left join medians as now
      on now.topic = beside.topic and now.team_name = beside.team_name and now.period = 'current'
    left join medians as before
      on before.is_enough
      and before.topic = beside.topic
      and before.team_name = beside.team_name
      and before.period = 'previous'
  ),
  answered as (
    select
      series,
      -- Only a team with an objective is judged by late acknowledgements. Other teams are judged by missing ones.
      if(ack_goal is null, 'any', 'in_time') as measure,
      -- Teams are compared for equal severities and targets.
      concat_ws(' ', ack_severity, ack_target_s) as incident_severity,
      team_name,
      judged.place::bigint as place,
      count(*) as n,
      count(*) filter (if(ack_goal is null, is_acknowledged, ack_outcome = 'met')) as met
    from scoped_targets
    join (select account_id, incident_id, is_acknowledged from scoped_kept) using (account_id, incident_id)
    where series in ('current', 'previous')
      and ack_outcome in ('met', 'missed')
      and judged.place is not null
      and not judged.is_in_spike
    group by all
  ),
  compared as (from teams_behind(of_outcomes := 'answered')),
  behind as (
    select
      now.*,
      before.team_name is not null as is_standing,
      now.behind <= -0.15
        and now.share <= now.others_share - 0.15
        and coalesce(before.share <= before.others_share - 0.075, not $is_compared) as is_low
    from compared as now
    left join compared as before
      on before.series = 'previous' and before.measure = now.measure and before.team_name = now.team_name
    where now.series = 'current' and now.p is not null
  )
select
  'dominant' as kind,
  topic,
  key,
  subject,
  n::double as value,
  every::double as before,
  in_spike / n as part,
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
  'unreviewed' as kind,
  'post_mortems' as topic,
  'unreviewed' as key,
  missing::double as value,
  n::double as before,
  missing::double as n,
  true as is_worse,
  true as is_standing
from reviewed
where n >= 8 and 2 * missing >= n and written >= 4
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
  least_s as part,
  most_s as amount,
  is_standing
from apart
union all by name
select
  'behind' as kind,
  'acknowledge' as topic,
  concat_ws(' ', 'behind', measure, team_name) as key,
  team_name as subject,
  share as value,
  others_share as before,
  if(is_low, p, 1) as p,
  n as n,
  true as is_worse,
  if(measure = 'any', 'any', null) as detail,
  is_standing
from behind
