-- Context of a change: spikes, and times that a machine produced. The engine provides `figures` as for figures.sql. One
--   row
-- for each figure of the current period that has either:
-- burst_period: period of the week far above any other (see bursts_in)
-- burst_from, burst_is_day: its local day, or the first of its days. A figure of some incidents has a day only if its
--   incidents must have come on the top day
-- burst_n: its count, or that of its day. For a figure of some incidents, those that must have come on the day
-- burst_of: count of the period including the spike
-- burst_part: share of the spike in that count
-- ratio: for a count, the ratio of daily rates. ratio_rest: that without the spike, or 1 if not significant at 1%
-- at_once: for a duration, the share below one second. timed: number of durations
with
  all_weeks as (
    select period, place::bigint as place, count(*) as n from scoped_kept where place is not null group by all
  ),
  weekly as (
    select figure as series, period, unnest(map_keys(weeks)) as place, unnest(map_values(weeks)) as n
    from (
      select figure, period, case measure when 'count' then weeks_of else share_weeks_of.n end as weeks
      from figures
      where period in ('current', 'previous')
    )
    where weeks is not null
    union all
    select figure, 'earlier', unnest(map_keys(earlier_weeks_of)), unnest(map_values(earlier_weeks_of))
    from figures
    where period = 'current' and earlier_weeks_of is not null
    union all
    select figures.figure, all_weeks.*
    from (
      select figure from figures where measure = 'count' group by figure having bool_and(weeks_of is null)
    ) as figures
    cross join all_weeks
    union all
    select figure, if(place < 0, 'earlier', period), if(place < 0, place + 100, place), sum(n)
    from (select figure, period, unnest(times_of, recursive := true) from figures where measure = 'duration')
    group by all
  ),
  bursts as (
    from bursts_in('weekly')
  ),
  days as (
    select period, place, day, n, sum(n) over (partition by period, place) as n_of_week
    from (
      select period, place::bigint as place, counted_local::date as day, count(*) as n
      from scoped_kept
      where place is not null and period <> 'earlier'
      group by all
    )
  ),
  dated as (
    select
      period,
      place,
      any_value(n_of_week) as n_of_week,
      any_value(n_of_week) - max(n) as on_others,
      arg_max(day, (n, day)) as top_day,
      min(day) as first_day
    from days
    group by all
  ),
  lengths as (
    select period, sum(days) as days from scoped_places group by period
  ),
  sums as (
    select
      series,
      coalesce(sum(n) filter (period = 'current'), 0) as n,
      coalesce(sum(n) filter (period = 'previous'), 0) as n_before
    from weekly
    group by series
  ),
  rests as (
    select
      sums.series,
      if(bursts.period = 'current', sums.n, sums.n_before) as of_all,
      if(bursts.period = 'current', sums.n - bursts.n, sums.n) as rest,
      if(bursts.period = 'current', sums.n_before, sums.n_before - bursts.n) as rest_before,
      length.now - if(bursts.period = 'current', 7, 0) as rest_days,
      length.before - if(bursts.period = 'current', 0, 7) as rest_days_before,
      (sums.n / length.now) / nullif(sums.n_before / length.before, 0) as ratio,
      (rest / rest_days) / nullif(rest_before / rest_days_before, 0) as ratio_rest,
      abs(rest / rest_days - rest_before / rest_days_before)
        / nullif(sqrt(rest / pow(rest_days, 2) + rest_before / pow(rest_days_before, 2)), 0) as z
    from sums
    join bursts using (series)
    cross join (
      select
        max(days) filter (period = 'current') as now,
        max(days) filter (period = 'previous') as before
      from lengths
    ) as length
  ),
  machines as (
    select
      figure as series,
      sum(n) filter (seconds < 1) / sum(n) as at_once,
      sum(n) as timed
    from (
      select figure, unnest(times_of, recursive := true)
      from figures
      where measure = 'duration' and period = 'current'
    )
    where not is_open
    group by figure
  )
select
  figure,
  bursts.period as burst_period,
  bursts.n <= n_of_week and bursts.n - on_others >= 0.8 * bursts.n as burst_is_day,
  if(burst_is_day, bursts.n - on_others, bursts.n) as burst_n,
  if(burst_is_day, top_day, first_day) as burst_from,
  of_all as burst_of,
  burst_n / of_all as burst_part,
  ratio,
  if(z < 2.58, 1, ratio_rest) as ratio_rest,
  at_once,
  timed
from (select figure from figures where period = 'current') as figures
left join bursts on bursts.series = figure
left join dated on dated.period = bursts.period and dated.place = bursts.place
left join rests on rests.series = figure
left join machines on machines.series = figure
where bursts.period is not null or (at_once >= 0.75 and timed >= 8)
