-- What is said of the figures on cards and in prose. The engine gives `figures`, a row for each figure and period:
-- figure: its name;  measure: `duration`, `share` or `count`;  period;  value: as it is shown
-- n: what a share is a share of
-- What stands behind it, each as the macro of its name gives it, null where the report does not say:
-- times_of: the durations behind a duration, see times
-- weeks_of: of a count, how many in each week of the period;  null takes those of all incidents. A whole number that
--   its weeks do not add up to is no count of them, and compared with nothing
-- earlier_weeks_of: of a count, how many in each of the weeks before both periods;  null does not know, or takes
--   those of all incidents as weeks_of does
-- share_weeks_of: of a share, how many of how many in each week, as they stood when the period is judged;  null
--   compares with nothing
-- interval_of: the 95 % interval of a figure that is not the median of its sample;  null works it out. Its value of the
--   previous period has to follow the same rule, as it stood equally long after its end, see resolve_times
-- One row for each figure of the current period comes back:
-- n: observations behind a duration, of one with an interval of its own the open ones too
-- low, high: the 95 % interval of a share, or of a duration that is the median of its sample
-- moved: how much more or less than in the previous period: of a share the difference, else the part (of counts: a day)
-- moved_low, moved_high: its 95 % interval;  moved_s: of durations the difference in seconds
-- before: of durations and shares what the figure is compared with: by the same rule, as it stood equally long after
--   its end
-- verdict: what is said of it, see change_verdict, or why nothing is compared
-- is_judged: whether anything is compared
with
  observed as (
    select figure as series, period = 'current' as is_now, place, seconds, n
    from (select figure, period, unnest(times_of, recursive := true) from figures where measure = 'duration')
    where period in ('current', 'previous')
  ),
  finished as (
    select {'figure': series, 'is_now': is_now} as series, seconds, n from observed where not isinf(seconds)
  ),
  samples as (
    select
      series.figure as figure,
      series.is_now as is_now,
      n as observations,
      median_s as median,
      if(median_low_s is not null, {'low': median_low_s, 'high': median_high_s}, null) as median_interval
    from duration_figures(of_durations := 'finished')
  ),
  -- Both periods by the rule of the figure: those that are over, or, where it has an interval of its own, as it says.
  medians as (
    from no_medians
    union all by name
    select
      now.figure as series,
      if(now.interval_of is null, samples.median, now.value) as median_s,
      if(now.interval_of is null, samples_before.median, before.value) as median_before_s
    from figures as now
    left join figures as before on before.figure = now.figure and before.period = 'previous'
    left join samples on samples.figure = now.figure and samples.is_now
    left join samples as samples_before on samples_before.figure = now.figure and not samples_before.is_now
    where now.measure = 'duration' and now.period = 'current'
  ),
  changed as (
    from duration_changes('observed', of_medians := 'medians')
  ),
  all_weeks as (
    select map(list(place), list(n)) as weeks, period
    from (select period, place, count(*) as n from scoped_times where place is not null group by all)
    group by period
    union all
    select map(list(place), list(n)), 'earlier'
    from (select judged.place as place, count(*) as n from scoped_earlier group by all)
  ),
  counted as (
    select
      wanted.figure,
      places.period,
      list({
        'n': coalesce(
          if(places.period = 'earlier', wanted.earlier, figures.weeks_of)[places.place],
          all_weeks.weeks[places.place],
          0
        ),
        'days': places.days
      }) as weeks,
      sum(places.days) as days
    from scoped_places as places
    cross join (
      select figure, bool_and(weeks_of is null) as is_like_all, any_value(earlier_weeks_of) as earlier
      from figures
      where measure = 'count'
      group by figure
    ) as wanted
    left join figures on figures.figure = wanted.figure and figures.period = places.period
    left join all_weeks on wanted.is_like_all and all_weeks.period = places.period
    where places.period <> 'earlier' or wanted.is_like_all or wanted.earlier is not null
    group by wanted.figure, places.period
  ),
  dispersions as (
    select
      figure,
      -- Weeks without any at all say nothing of how much some would differ.
      count_dispersion(list(weeks) filter (where period <> 'earlier' or daily_rate(weeks) > 0)) as dispersion,
      max(days) filter (period = 'current') as days,
      max(days) filter (period = 'previous') as days_before,
      sum(list_sum(list_transform(weeks, lambda week: week.n))) filter (period = 'current') as n,
      sum(list_sum(list_transform(weeks, lambda week: week.n))) filter (period = 'previous') as n_before
    from counted
    group by figure
  ),
  weekly_shares as (
    select
      figure,
      period,
      list_transform(
        map_keys(share_weeks_of.n),
        lambda place: {'hits': coalesce(share_weeks_of.hits[place], 0), 'n': share_weeks_of.n[place]}
      ) as weeks
    from figures
    where measure = 'share' and share_weeks_of is not null
  ),
  shared as (
    select
      *,
      list_sum(list_transform(weeks, lambda week: week.hits)) as hits,
      list_sum(list_transform(weeks, lambda week: week.n)) as n
    from weekly_shares
  ),
  share_dispersions as (
    select figure, share_dispersion(list(weeks)) as dispersion
    from shared
    where period in ('current', 'previous')
    group by figure
  ),
  lengths as (
    select min(weeks) as weeks
    from (select count(*) as weeks from scoped_places where period <> 'earlier' group by period)
  ),
  judged_all as (
    select
      now.figure,
      now.measure,
      abs(samples.median - now.value) <= 1e-9 * greatest(1, now.value) as is_median,
      -- What counts the open ones rests on them too.
      if(now.interval_of is null or coalesce(is_median, false), samples.observations, changed.n) as n,
      coalesce(now.interval_of, case now.measure
        -- A sample behind a mean or a p90 is there for the change alone.
        when 'duration' then case when is_median then samples.median_interval end
        when 'share' then wilson_interval(now.value * now.n, now.n)
      end) as interval,
      changed.ratio,
      changed.ratio_low,
      changed.ratio_high,
      changed.median_s - changed.median_before_s as moved_s,
      replace(replace(changed.verdict, 'shorter', 'faster'), 'longer', 'slower') as verdict,
      case now.measure
        when 'duration' then changed.median_before_s
        when 'share' then share_before.hits / share_before.n
      end as stood_before,
      case
        when now.measure = 'count' and now.value is null then 'nothing to compare with'
        -- Of a mean or a p90 the medians that are compared are no such figure.
        when now.measure = 'duration' and not (now.interval_of is not null or coalesce(is_median, true))
          then 'not compared: only medians are'
        when now.measure = 'count'
          and (now.value <> dispersions.n or coalesce(before.value, 0) <> dispersions.n_before)
          then 'not compared: not known by week'
        when now.measure = 'share' and now.n > 0 and share_dispersions.dispersion is null
          then 'not compared: not known by week'
        -- As of durations, see duration_changes.
        when now.measure = 'share' and least(coalesce(share_now.n, 0), coalesce(share_before.n, 0)) = 0
          then 'nothing to compare with'
        when now.measure = 'share' and least(share_now.n, share_before.n) < 8 then 'too few to compare'
        when now.measure = 'duration' and changed.verdict is null then 'nothing to compare with'
        when now.measure = 'duration' and (changed.verdict like 'too %' or changed.verdict like 'nothing %')
          then changed.verdict
        when lengths.weeks < 3 then 'too short to compare'
      end as reason,
      count_change(
        now.value, dispersions.days, coalesce(before.value, 0), dispersions.days_before, dispersions.dispersion
      ) as count_change,
      share_change(
        share_now.hits, share_now.n, share_before.hits, share_before.n, share_dispersions.dispersion
      ) as share_change
    from figures as now
    cross join lengths
    left join figures as before on before.figure = now.figure and before.period = 'previous'
    left join shared as share_now on share_now.figure = now.figure and share_now.period = 'current'
    left join shared as share_before on share_before.figure = now.figure and share_before.period = 'previous'
    left join share_dispersions on share_dispersions.figure = now.figure
    left join samples on samples.figure = now.figure and samples.is_now
    left join changed on changed.series = now.figure
    left join dispersions on dispersions.figure = now.figure
    where now.period = 'current'
  )
select
  figure,
  case when measure = 'duration' then coalesce(n, 0) end as n,
  interval.low,
  interval.high,
  -- Rounded: the last digits of a sum go by the order in which rows are stored.
  round(
    case measure
      when 'duration' then ratio - 1
      when 'count' then count_change.estimate - 1
      else share_change.estimate
    end,
    12
  ) as moved,
  round(
    case measure
      when 'duration' then ratio_low - 1
      -- Growth from none is no part of it.
      when 'count' then if(isinf(count_change.estimate), null, count_change.low - 1)
      else share_change.low
    end,
    12
  ) as moved_low,
  round(
    case measure
      when 'duration' then ratio_high - 1
      when 'count' then count_change.high - 1
      else share_change.high
    end,
    12
  ) as moved_high,
  moved_s,
  stood_before as before,
  reason is null as is_judged,
  coalesce(reason, case measure
    when 'duration' then verdict
    -- None on either side.
    when 'count' then coalesce(count_change.verdict, 'about the same')
    else share_change.verdict
  end) as verdict
from judged_all
