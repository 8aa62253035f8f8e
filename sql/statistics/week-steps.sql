-- Tests whether a weekly figure stepped at an event, for each of several series. Each week counts once, regardless of
-- its size, with the error of week_dispersion and never less than that of independent incidents. There are three tests.
-- The shift is the mean of the weeks since the event minus the mean of the weeks before. The step is the part of the
-- shift that a line through all weeks does not explain, so a decrease that had already begun is not a step. The trend
-- is the slope of the weeks before. Source: Wagner and others 2002, J. Clin. Pharm. Ther. 27, 299-309 (interrupted time
-- series).
-- columns:
-- of_weeks: parameter: name of the relation of weekly figures, with the columns of no_event_weeks
-- series: the series
-- weeks: weeks with a figure since the event
-- weeks_before: weeks with a figure before the event
-- shift: mean of the weeks since the event minus mean of the weeks before
-- shift_p: p value of the shift
-- lag: correlation of consecutive weeks, see week_dispersion
-- step: the part of the shift that a line through all weeks does not explain
-- step_p: p value of the step, or null below 3 weeks before
-- trend: slope per week of the weeks before
-- trend_p: p value of the trend, or null below 3 weeks before
create or replace macro week_steps(of_weeks := 'no_event_weeks') as table
with
  no_event_weeks as (select * from no_event_weeks()),
  -- The CTEs have unusual names, because older versions of DuckDB confuse equal names with those of the caller.
  step_weeks as (
    select
      series,
      week,
      week >= 0 as is_since,
      y,
      noise,
      week - avg(week) over stretch as u,
      y - avg(y) over stretch as beside_mean,
      count(*) over stretch as k
    from query_table(of_weeks)
    window stretch as (partition by series, week >= 0)
  ),
  step_lines as (
    select
      series,
      count(*) filter (is_since) as weeks,
      count(*) filter (not is_since) as weeks_before,
      avg(y) filter (is_since) - avg(y) filter (not is_since) as shift,
      avg(week) filter (is_since) - avg(week) filter (not is_since) as gap,
      nullif(sum(u * u), 0) as spread,
      nullif(sum(u * u) filter (not is_since), 0) as spread_before,
      sum(u * y) / nullif(sum(u * u), 0) as slope,
      sum(u * y) filter (not is_since) / nullif(sum(u * u) filter (not is_since), 0) as slope_before
    from step_weeks
    group by series
  ),
  -- Each test is a weighted sum of weeks, with the residuals of its fit.
  step_parts as (
    select series, week, noise, unnest([
      {'asked': 'shift', 'weight': if(is_since, 1, -1) / k, 'residual': beside_mean, 'fitted': 2},
      {
        'asked': 'step',
        'weight': if(is_since, 1, -1) / k - gap * u / spread,
        'residual': beside_mean - slope * u,
        'fitted': 3
      },
      {
        'asked': 'trend',
        'weight': if(is_since, null, u / spread_before),
        'residual': beside_mean - slope_before * u,
        'fitted': 2
      }
    ], recursive := true)
    from step_weeks
    join step_lines using (series)
  ),
  step_errors as (
    select
      series,
      asked,
      sum(weight * weight) as squares,
      sum(weight * weight * noise) as of_incidents,
      avg(noise) as mean_noise,
      week_dispersion(list(residual order by week), list(weight order by week), any_value(fitted)) as dispersion
    from step_parts
    where weight is not null
    group by series, asked
  ),
  step_estimates as (
    select
      step_lines.*,
      shift - slope * gap as step,
      asked,
      dispersion,
      case asked when 'shift' then shift when 'step' then shift - slope * gap else slope_before end
        / nullif(round(sqrt(of_incidents), 12), 0) as z,
      case asked when 'shift' then shift when 'step' then shift - slope * gap else slope_before end / nullif(round(sqrt(
        dispersion.phi * squares + greatest(0, of_incidents - mean_noise * squares)
      ), 12), 0) as t
    from step_errors
    join step_lines using (series)
  ),
  step_tests as (
    select *, if(dispersion is null, null, coalesce(greatest(student_p(t, dispersion.df), normal_p(z)), 1)) as p
    from step_estimates
  ),
  final as (
    select
      series,
      any_value(weeks) as weeks,
      any_value(weeks_before) as weeks_before,
      any_value(shift) as shift,
      max(p) filter (asked = 'shift') as shift_p,
      max(dispersion.lag) filter (asked = 'shift') as lag,
      any_value(step) as step,
      max(p) filter (asked = 'step') as step_p,
      any_value(slope_before) as trend,
      max(p) filter (asked = 'trend') as trend_p
    from step_tests
    group by series
  )
select * from final
