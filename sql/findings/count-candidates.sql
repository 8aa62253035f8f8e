-- Candidates of findings for the counts of many subjects. `outside` compares the current with the previous period (see
-- count_change). `month` compares the last four weeks with all weeks before the current period. `week` compares the
-- last week with all others. A subject whose change would not be significant even for Poisson counts has p 1 and is not
-- tested by week, but it is included in the number of tests. A part is also compared with the other parts of its whole
-- by week, because a change that all parts share is not specific to one. For `month` and `week`, the weeks before the
-- first incident of a subject that is younger than the comparison do not count.
-- columns:
-- of_counts: parameter: name of the relation of weekly counts, with the columns of no_subject_counts
-- of_weeks: parameter: name of the relation of the weeks, with the columns of no_weeks
-- kind: `outside`, `month` or `week`
-- topic: kind of subject
-- see no_subject_counts: key, subject
-- parent: key of the whole that the subject is a part of
-- value: current count
-- before: previous count. For a week or a month, the mean of the other weeks
-- estimate: ratio of the two rates, infinite if the previous count is 0
-- low: lower limit of its 95% CI
-- high: upper limit of its 95% CI
-- p: p value of the change
-- n: current count
-- is_worse: the count increased
-- is_apart: its change differs significantly from that of its peers, which are the other parts of its whole (5% for the
--   topic, Bonferroni). Null if it has no peers
create or replace macro count_candidates(of_counts := 'no_subject_counts', of_weeks := 'no_weeks') as table
with
  no_subject_counts as (select * from no_subject_counts()),
  no_weeks as (select * from no_weeks()),
  counts as (select * from query_table(of_counts)),
  weeks as (select period, place, days from query_table(of_weeks)),
  topics as (
    select topic, is_share, bool_or(period = 'earlier') as has_earlier from counts group by topic, is_share
  ),
  sums as (
    select topic, period, place, sum(n) as n from counts where is_share group by topic, period, place
  ),
  kinds (kind, recent) as (
    values ('outside', null), ('month', 4), ('week', 1)
  ),
  last_week as (select max(place) as place from weeks where period = 'current'),
  -- Weight and side of each week. The weight is the number of days, or for an hour the number of all incidents of the
  -- week. The earlier side is limited to `is_before`.
  exposed as (
    select
      topics.topic,
      kinds.kind,
      weeks.period,
      weeks.place,
      if(topics.is_share, coalesce(sums.n, 0), weeks.days)::double as days,
      if(
        kind = 'outside',
        weeks.period = 'current',
        weeks.period = 'current' and weeks.place > last_week.place - recent
      ) as is_now,
      case kind
        when 'outside' then weeks.period = 'previous'
        when 'month' then weeks.period <> 'current'
        else not is_now
      end as is_before,
      row_number() over (
        partition by topics.topic, kind order by weeks.period <> 'earlier', weeks.period = 'current', weeks.place
      ) as nth
    from topics
    cross join weeks
    cross join last_week
    cross join kinds
    left join sums on sums.topic = topics.topic and sums.period = weeks.period and sums.place = weeks.place
    where (weeks.period <> 'earlier' or topics.has_earlier)
      and (kind = 'outside' or topics.topic not in ('hours', 'severities'))
  ),
  sides as (
    select
      topic,
      kind,
      count(*) filter (is_now) as weeks,
      count(*) filter (is_before) as weeks_before,
      count(*) filter (period = 'current') as weeks_of_period,
      sum(days) filter (is_now) as days,
      sum(days) filter (is_before) as days_before
    from exposed
    group by topic, kind
    having if(kind = 'outside', weeks_before >= 3, weeks_before >= 11 and (kind = 'week' or weeks_of_period >= 8))
  ),
  counted as (
    select
      topic,
      kind,
      key,
      parent,
      any_value(subject) as subject,
      coalesce(sum(n) filter (is_now), 0)::double as now,
      coalesce(sum(n) filter (is_before), 0)::double as before,
      min(nth) filter (n > 0) as first_nth
    from counts
    join exposed using (topic, period, place)
    group by topic, kind, key, parent
  ),
  -- Subjects whose weeks before their first incident would have had 5 incidents or more at their later rate. A subject
  -- of the current period is new.
  young as (
    select
      topic,
      kind,
      key,
      first_nth,
      count(*) filter (is_before) as weeks_before,
      sum(days) filter (is_before) as days_before
    from counted
    join exposed using (topic, kind)
    where kind <> 'outside' and nth >= first_nth
    group by topic, kind, key, first_nth, before
    having min_by(period, nth) <> 'current' and before * (first_nth - 1) >= 5 * weeks_before
  ),
  lasting as (
    select
      counted.*,
      sides.* exclude (topic, kind, weeks_before, days_before),
      coalesce(young.first_nth, 1) as from_nth,
      coalesce(young.weeks_before, sides.weeks_before) as weeks_before,
      coalesce(young.days_before, sides.days_before) as days_before
    from counted
    join sides using (topic, kind)
    left join young using (topic, kind, key)
    where now + before >= 8 and (young.key is null or young.weeks_before >= 11)
  ),
  compared as (
    select
      *,
      now * days_before > before * days as is_more,
      pow(now * days_before - before * days, 2) / nullif((now + before) * days * days_before, 0) as chi,
      chi > 6.6 and (kind = 'outside' or (is_more and now >= 5)) as is_wanted
    from lasting
  ),
  lists as (
    select
      wanted.topic,
      wanted.kind,
      wanted.key,
      exposed.period,
      exposed.is_now,
      exposed.is_before,
      list({'n': coalesce(counts.n, 0), 'days': exposed.days} order by exposed.place)
        filter (exposed.days > 0) as weeks,
      -- The counts of the other parts take the place of days.
      list({'n': coalesce(counts.n, 0), 'days': (whole.n - coalesce(counts.n, 0))::double} order by exposed.place)
        filter (whole.n > coalesce(counts.n, 0)) as weeks_of_others,
      list_sum(list_transform(weeks_of_others, lambda week: week.n)) as n,
      list_sum(list_transform(weeks_of_others, lambda week: week.days)) as others
    from (select topic, kind, key, parent, from_nth from compared where is_wanted) as wanted
    join exposed
      on exposed.topic = wanted.topic
      and exposed.kind = wanted.kind
      and exposed.nth >= wanted.from_nth
      and (wanted.kind <> 'month' or is_now or is_before)
    left join counts
      on counts.topic = wanted.topic
      and counts.key = wanted.key
      and counts.period = exposed.period
      and counts.place = exposed.place
    left join counts as whole
      on whole.key = wanted.parent
      and whole.period = exposed.period
      and whole.place = exposed.place
    group by all
  ),
  dispersed as (
    -- Weeks before both periods are ignored if all their counts are 0.
    select
      topic,
      kind,
      key,
      count_dispersion(list(weeks order by period <> 'earlier', period = 'current', is_now)) as dispersion,
      count_change(
        sum(n) filter (is_now),
        sum(others) filter (is_now),
        sum(n) filter (is_before),
        sum(others) filter (is_before),
        count_dispersion(
          list(weeks_of_others order by period <> 'earlier', period = 'current', is_now)
            filter (weeks_of_others is not null)
        )
      ) as beside
    from lists
    where period <> 'earlier' or daily_rate(weeks) > 0
    group by topic, kind, key
  ),
  judged as (
    select
      compared.*,
      case when is_wanted then count_change(now, days, before, days_before, dispersion) end as change,
      beside
    from compared
    left join dispersed using (topic, kind, key)
  ),
  final as (
    select
      kind,
      topic,
      key,
      parent,
      subject,
      now as value,
      if(kind = 'outside', before, before * weeks / weeks_before) as before,
      change.estimate as estimate,
      change.low as low,
      change.high as high,
      coalesce(change.p, 1) as p,
      now as n,
      is_more as is_worse,
      beside.p * count(*) over (partition by kind, topic) < 0.05 and (beside.estimate > 1) = is_more as is_apart
    from judged
  )
select * from final
