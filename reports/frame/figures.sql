-- What is said of the figures on cards and in prose. The engine gives `figures`, a row for each figure and period:
-- figure: its name;  measure: `duration`, `share` or `count`;  period;  value: as it is shown
-- n: what a share is a share of;  sample: the durations behind a duration, see times
-- weeks: how many in each week of the period, see weeks_of;  null takes how much all incidents differ from week to week
-- own_interval: the 95 % interval of a figure that is not the median of its sample;  null works it out
-- judged: of a share, hits and n as they stood when the period is judged;  null takes value and n
-- One row for each figure of the current period comes back:
-- n: observations behind a duration;  low, high: the 95 % interval of a share, or of a duration that is the median of its sample
-- moved: how much more or less than in the previous period: of a share the difference, else the part (of counts: a day);
--   moved_low, moved_high: its 95 % interval;  moved_s: of durations the difference in seconds
-- direction: 1 for more, -1 for less, 0 where that may be chance, see duration_changes, count_change and share_change
-- reason: why nothing can be compared
with
  observed as (
    select figure as series, period = 'current' as is_now, place, seconds
    from (select figure, period, unnest(sample, recursive := true) from figures where measure = 'duration')
    where period in ('current', 'previous')
  ),
  samples as (
    select series as figure, count(*) as observations, median(seconds) as median, quantile_interval(seconds, 0.5) as median_interval
    from observed
    where is_now and not isinf(seconds)
    group by series
  ),
  changed as (
    from duration_changes('observed')
  ),
  all_weeks as (
    select map(list(place), list(n)) as weeks, period
    from (select period, place, count(*) as n from scoped_times where place is not null group by all)
    group by period
  ),
  counted as (
    select
      figures.figure,
      places.period,
      list({'n': coalesce(coalesce(figures.weeks, all_weeks.weeks)[places.place], 0), 'days': places.days}) as weeks,
      sum(places.days) as days
    from scoped_places as places
    cross join (select distinct figure, weeks is null as is_like_all from figures where measure = 'count') as wanted
    left join figures on figures.figure = wanted.figure and figures.period = places.period
    left join all_weeks on wanted.is_like_all and all_weeks.period = places.period
    group by all
  ),
  dispersions as (
    select
      figure,
      count_dispersion(list(weeks)) as dispersion,
      max(days) filter (period = 'current') as days,
      max(days) filter (period = 'previous') as days_before,
      min(len(weeks)) as weeks
    from counted
    group by figure
  ),
  measured as (
    select * replace (coalesce(judged, {'hits': value * n, 'n': n}) as judged) from figures
  ),
  judged_all as (
    select
      now.figure,
      now.measure,
      samples.observations as n,
      coalesce(now.own_interval, case now.measure
        -- A sample behind a mean or a p90 is there for the change alone.
        when 'duration' then case when abs(samples.median - now.value) <= 1e-9 * greatest(1, now.value) then samples.median_interval end
        when 'share' then wilson_interval(now.value * now.n, now.n)
      end) as interval,
      changed.ratio,
      changed.ratio_low,
      changed.ratio_high,
      changed.median_s - changed.median_before_s as moved_s,
      changed.verdict,
      dispersions.weeks,
      count_change(
        now.value, dispersions.days, coalesce(before.value, 0), dispersions.days_before, dispersions.dispersion
      ) as count_change,
      share_change(now.judged.hits, now.judged.n, before.judged.hits, before.judged.n) as share_change,
      share_change(now.judged.hits, now.judged.n, before.judged.hits, before.judged.n, z99()) as sure_share_change
    from measured as now
    left join measured as before on before.figure = now.figure and before.period = 'previous'
    left join samples on samples.figure = now.figure
    left join changed on changed.series = now.figure
    left join dispersions on dispersions.figure = now.figure
    where now.period = 'current'
  )
select
  figure,
  case when measure = 'duration' then coalesce(n, 0) end as n,
  interval.low,
  interval.high,
  case measure when 'duration' then ratio - 1 when 'count' then count_change.estimate - 1 else share_change.estimate end as moved,
  case measure when 'duration' then ratio_low - 1 when 'count' then count_change.low - 1 else share_change.low end as moved_low,
  case measure when 'duration' then ratio_high - 1 when 'count' then count_change.high - 1 else share_change.high end as moved_high,
  moved_s,
  case
    when measure = 'duration' then case verdict when 'shorter' then -1 when 'longer' then 1 else 0 end
    when measure = 'count' then if(weeks >= 3 and count_change.p < 0.01, sign(count_change.estimate - 1), 0)
    else case when sure_share_change.low > 0 then 1 when sure_share_change.high < 0 then -1 else 0 end
  end as direction,
  case
    when measure = 'duration' then if(verdict like 'too %', verdict, null)
    when measure = 'count' then if(weeks < 3, 'too short to compare', null)
  end as reason
from judged_all
