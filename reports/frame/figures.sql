-- What is said of the figures on cards and in prose. The engine gives `figures`, a row for each figure and period:
-- figure: its name;  measure: `duration`, `share` or `count`;  period;  value: as it is shown
-- n: what a share is a share of;  sample: the seconds behind a duration
-- One row for each figure of the current period comes back:
-- n: observations behind a duration;  low, high: the 95 % interval of a share, or of a duration that is the median of its sample
-- moved: how much more or less than in the previous period, as it is shown: of a share the difference, else the part
-- direction: 1 for more, -1 for less, 0 where the 95 % interval of the change leaves that open
-- smallest_fall: of a duration, the smallest fall that would have shown
with
  weekly_counts as (
    select week, count(*) as incidents from scoped_incidents group by week
  ),
  whole_weeks as (
    select scoped_weeks.period, list(coalesce(weekly_counts.incidents, 0)) as incidents
    from scoped_weeks
    left join weekly_counts using (week)
    where not scoped_weeks.is_partial and scoped_weeks.period <> 'running'
    group by scoped_weeks.period
  ),
  weeks as (
    select count_dispersion(list(incidents)) as dispersion from whole_weeks
  ),
  observed as (
    select figure, period, unnest(sample) as seconds from figures where measure = 'duration'
  ),
  samples as (
    select
      figure,
      period,
      count(seconds) as observations,
      median(seconds) as median,
      quantile_interval(if(period = 'current', seconds, null), 0.5) as median_interval,
      log_moments(seconds) as moments
    from observed
    group by figure, period
  ),
  measured as (
    select * from figures left join samples using (figure, period)
  ),
  judged as (
    select
      now.figure,
      now.measure,
      coalesce(now.observations, 0) as n,
      case now.measure
        -- A sample behind a mean or a p90 is there for the change alone.
        when 'duration' then case when abs(now.median - now.value) <= 1e-9 * greatest(1, now.value) then now.median_interval end
        when 'share' then wilson_interval(now.value * now.n, now.n)
      end as interval,
      if(now.measure = 'share', now.value - before.value, now.value / before.value - 1) as moved,
      change_direction(
        case now.measure
          when 'duration' then duration_change(now.moments, before.moments)
          when 'share' then share_change(now.value * now.n, now.n, before.value * before.n, before.n)
          when 'count' then count_change(now.value, before.value, weeks.dispersion)
        end,
        if(now.measure = 'share', 0, 1)
      ) as direction,
      sign(now.value - before.value) as went,
      smallest_detectable_fall(now.moments, before.moments) as smallest_fall
    from weeks, measured as now
    left join measured as before on before.figure = now.figure and before.period = 'previous'
    where now.period = 'current'
  )
select
  figure,
  case when measure = 'duration' then n end as n,
  interval.low,
  interval.high,
  abs(moved) as moved,
  -- Where the shown figures moved the other way than the values as a whole, neither is a finding.
  if(measure = 'duration' and direction <> went, 0, direction) as direction,
  smallest_fall
from judged
