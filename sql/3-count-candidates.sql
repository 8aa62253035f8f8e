-- What may be said of the counts of many subjects, as candidates of findings: `outside`, that the period has more or fewer than the
-- one before (see count_change), and `week`, that its last week has more than all the other weeks known. A subject whose count could
-- not be outside even were it Poisson has p 1, and its weeks are not looked at: it is one of those looked at all the same.
-- columns:
-- of_counts: parameter: name of the relation of weekly counts, with the columns of no_subject_counts
-- of_weeks: parameter: name of the relation of the weeks, with the columns of no_weeks
-- kind: `outside` or `week`
-- topic: kind of subject
-- key: of the subject
-- parent: key of what it is a part of
-- subject: its name
-- value: how many
-- before: how many before; of a week the mean of the others
-- estimate: ratio of the two rates; infinite from none
-- low: lower end of its 95 % interval
-- high: upper end of its 95 % interval
-- p: how likely by chance
-- n: how many
-- is_worse: there are more
create or replace macro count_candidates(of_counts := 'no_subject_counts', of_weeks := 'no_weeks') as table
with
  counts as (select * from query_table(of_counts)),
  weeks as (select period, place, days from query_table(of_weeks)),
  topics as (
    select topic, is_share, bool_or(period = 'earlier') as has_earlier from counts group by topic, is_share
  ),
  sums as (
    select topic, period, place, sum(n) as n from counts where is_share group by topic, period, place
  ),
  last_week as (select max(place) as place from weeks where period = 'current'),
  -- What each week weighs: its days, or of an hour all that began in it.
  exposed as (
    select
      topics.topic,
      weeks.period,
      weeks.place,
      if(topics.is_share, coalesce(sums.n, 0), weeks.days)::double as days,
      weeks.period = 'current' and weeks.place = last_week.place as is_last
    from topics
    cross join weeks
    cross join last_week
    left join sums on sums.topic = topics.topic and sums.period = weeks.period and sums.place = weeks.place
    where weeks.period <> 'earlier' or topics.has_earlier
  ),
  sides as (
    select
      topic,
      count(*) as weeks,
      count(*) filter (period = 'previous') as weeks_before,
      sum(days) filter (period = 'current') as days,
      sum(days) filter (period = 'previous') as days_before,
      sum(days) filter (is_last) as days_last,
      sum(days) filter (not is_last) as days_rest
    from exposed
    group by topic
  ),
  counted as (
    select
      counts.topic,
      key,
      parent,
      any_value(subject) as subject,
      coalesce(sum(n) filter (period = 'current'), 0)::double as now,
      coalesce(sum(n) filter (period = 'previous'), 0)::double as before,
      coalesce(sum(n) filter (period = 'current' and counts.place = last_week.place), 0)::double as last,
      coalesce(sum(n) filter (period <> 'current' or counts.place <> last_week.place), 0)::double as rest
    from counts
    cross join last_week
    group by counts.topic, key, parent
  ),
  compared as (
    select
      counted.*,
      sides.* exclude (topic),
      pow(now * days_before - before * days, 2) / nullif((now + before) * days * days_before, 0) as chi,
      pow(last * days_rest - rest * days_last, 2) / nullif((last + rest) * days_last * days_rest, 0) as chi_last,
      weeks_before >= 3 and now + before >= 8 and chi > 6.6 as is_outside,
      weeks >= 12 and last >= 5 and last * days_rest > rest * days_last and chi_last > 6.6 as is_week
    from counted
    join sides using (topic)
  ),
  wanted as (select topic, key from compared where is_outside or is_week),
  lists as (
    select
      wanted.topic,
      wanted.key,
      exposed.period,
      list({'n': coalesce(counts.n, 0), 'days': exposed.days} order by exposed.place) filter (exposed.days > 0) as every,
      list({'n': coalesce(counts.n, 0), 'days': exposed.days} order by exposed.place) filter (exposed.days > 0 and not exposed.is_last) as others
    from wanted
    join exposed using (topic)
    left join counts
      on counts.topic = wanted.topic and counts.key = wanted.key and counts.period = exposed.period and counts.place = exposed.place
    group by wanted.topic, wanted.key, exposed.period
  ),
  dispersed as (
    select
      topic,
      key,
      count_dispersion(list(every) filter (period <> 'earlier' or daily_rate(every) > 0)) as every,
      count_dispersion(list(others) filter (period <> 'earlier' or daily_rate(others) > 0)) as others
    from lists
    group by topic, key
  ),
  judged as (
    select
      compared.*,
      case when is_outside then count_change(now, days, before, days_before, dispersed.every) end as change,
      case when is_week then count_change(last, days_last, rest, days_rest, dispersed.others) end as last_change
    from compared
    left join dispersed using (topic, key)
  ),
  final as (
    select
      'outside' as kind, topic, key, parent, subject, now as value, before, change.estimate as estimate, change.low as low,
      change.high as high, coalesce(change.p, 1) as p, now as n, now * days_before > before * days as is_worse
    from judged
    where weeks_before >= 3 and now + before >= 8
    union all
    select
      'week', topic, key, parent, subject, last, rest / (weeks - 1), last_change.estimate, last_change.low,
      last_change.high, coalesce(last_change.p, 1), last, true
    from judged
    where weeks >= 12 and now + before >= 8 and topic not in ('hours', 'severities')
  )
select * from final
