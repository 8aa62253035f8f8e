-- The columns of judged_figures for durations, one row per figure of the current period. See figures.sql.
with
  observed as (
    select figure as series, period = 'current' as is_now, of.*
    from (
      select figure, period, unnest(times_of) as of from figures where measure = 'duration'
      union all
      select figure, 'previous', unnest(earlier_times_of) from figures where measure = 'duration'
    )
    where period in ('current', 'previous')
  ),
  -- Finished durations. For the CI of a current figure, all earlier weeks add to the estimate of the variation.
  finished as (
    select {'figure': series, 'is_now': true} as series, if(is_now, place, place - 1000) as place, seconds, n
    from observed
    where not is_open
    union all
    select {'figure': series, 'is_now': false}, null, seconds, n
    from observed
    where not is_open and not is_now and place >= 0
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
  -- Both periods by the rule of the figure: finished incidents, or its own value if it has interval_of.
  medians as (
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
    select *, series as figure
    from duration_changes(of_observations := 'observed', of_medians := 'medians')
  )
select
  now.figure,
  now.measure,
  abs(samples.median - now.value) <= 1e-9 * greatest(1, now.value) as is_median,
  -- A figure that includes open incidents counts them in n too.
  if(now.interval_of is null or coalesce(is_median, false), samples.observations, changed.n) as n,
  -- For a mean or a p90, the sample is used for the change only.
  coalesce(now.interval_of, case when is_median then samples.median_interval end) as interval,
  changed.median_s - changed.median_before_s as moved_s,
  changed.median_before_s as stood_before,
  case
    -- The compared medians are not such a figure for a mean or a p90.
    when not (now.interval_of is not null or coalesce(is_median, true)) then 'not compared: only medians are compared'
    when changed.verdict is null then 'nothing to compare with'
    when changed.verdict like 'too %' or changed.verdict like 'nothing %' then changed.verdict
  end as reason,
  {
    'estimate': changed.ratio, 'low': changed.ratio_low, 'high': changed.ratio_high, 'p': changed.p,
    'certainty': changed.certainty, 'is_small': changed.is_small,
    'verdict': replace(replace(changed.verdict, 'shorter', 'faster'), 'longer', 'slower')
  } as change,
  changed.direction as ranked,
  changed.lag,
  changed.ratio * changed.at_mix - 1 as moved_at_mix,
  changed.parts,
  changed.parts_less,
  changed.parts_more
from figures as now
left join samples on samples.figure = now.figure and samples.is_now
left join changed on changed.figure = now.figure
where now.measure = 'duration' and now.period = 'current'
