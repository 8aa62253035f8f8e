-- Change of counts since an event, for each of several series. The affected teams are compared with all other teams by
-- their share of the total, which stays the same if all teams change alike. If there are no other teams, weekly rates
-- are compared. The change is that of share_change or count_change, over equally many weeks since and before.
-- week_steps tests for a step in the weekly shares, or in the roots of counts, and the larger p is used. Source:
-- Newcombe 1998, Stat. Med. 17, 873-890; Anscombe 1948, Biometrika 35, 246-254.
-- columns:
-- of_counts: parameter: name of the relation of counts, with the columns of no_event_counts
-- see week_steps: series, weeks, weeks_before, shift, shift_p, lag, step, step_p, trend, trend_p
-- n: count of the affected teams since the event
-- n_before: count of the affected teams in the same number of weeks before
-- is_few: fewer than 8 both since the event and before
-- value: mean per week since the event
-- value_before: mean per week before the event
-- has_control: other teams have 8 or more both since the event and before
-- control_n: count of the other teams since the event
-- control_value: mean per week of the other teams since the event
-- control_before: mean per week of the other teams before the event
-- ratio: since over before. If there are other teams, it is divided by their ratio
-- ratio_low: lower limit of its 95% CI
-- ratio_high: upper limit of its 95% CI
create or replace macro event_counts(of_counts := 'no_event_counts') as table
with
  no_event_counts as (select * from no_event_counts()),
  counted_weeks as materialized (
    select
      series,
      week,
      cast(coalesce(sum(n) filter (is_touched), 0) as bigint) as hits,
      cast(coalesce(sum(n) filter (not is_touched), 0) as bigint) as others,
      max(week) over (partition by series) + 1 as length
    from query_table(of_counts)
    group by series, week
  ),
  counted_sides as (
    select
      series,
      any_value(length) as length,
      sum(hits) filter (week >= 0) as n,
      sum(hits) filter (week < 0 and week >= -length) as n_before,
      sum(others) filter (week >= 0) as control_n,
      sum(others) filter (week < 0 and week >= -length) as control_n_before,
      least(control_n, control_n_before) >= 8 as has_control
    from counted_weeks
    group by series
  ),
  counted_stretches as (
    select
      series,
      stretch,
      list({'hits': hits, 'n': hits + others} order by week) as shares,
      list({'n': hits, 'days': 7} order by week) as counts
    from (select *, case when week >= 0 then 2 when week >= -length then 1 else 0 end as stretch from counted_weeks)
    group by series, stretch
  ),
  counted_dispersions as (
    select
      series,
      share_dispersion(list(shares order by stretch)) as of_share,
      count_dispersion(list(counts order by stretch)) as of_count
    from counted_stretches
    group by series
    having count(*) filter (stretch > 0) = 2
  ),
  counted_changes as (
    select
      counted_sides.*,
      n / nullif(control_n, 0) as odds,
      n_before / nullif(control_n_before, 0) as odds_before,
      share_change(n, n + control_n, n_before, n_before + control_n_before, dispersion := of_share).p as share_p,
      wilson_interval(n, n + control_n, z := dispersion_z95(of_share)) as ends,
      wilson_interval(n_before, n_before + control_n_before, z := dispersion_z95(of_share)) as ends_before,
      count_change(n, 7 * length, n_before, 7 * length, of_count) as change
    from counted_sides
    left join counted_dispersions using (series)
  ),
  counted_steps as (
    select
      series,
      week,
      if(has_control, hits / (hits + others), 2 * sqrt(hits + 0.375)) as y,
      if(has_control, (n + n_before) * (control_n + control_n_before)
        / pow(n + n_before + control_n + control_n_before, 2) / (hits + others), 1) as noise
    from counted_weeks
    join counted_sides using (series)
    where not has_control or hits + others > 0
  ),
  final as (
    select
      series,
      n,
      n_before,
      greatest(n, n_before) < 8 as is_few,
      n / length as value,
      n_before / length as value_before,
      has_control,
      control_n,
      control_n / length as control_value,
      control_n_before / length as control_before,
      if(has_control, odds / nullif(odds_before, 0), change.estimate) as ratio,
      -- CI of the odds, from the CIs of both shares.
      if(has_control, ratio * exp(-sqrt(
        pow(log_ratio(odds, ends.low / (1 - ends.low)), 2)
        + pow(log_ratio(ends_before.high / (1 - ends_before.high), odds_before), 2)
      )), change.low) as ratio_low,
      case
        when not has_control then change.high
        when n = 0 then ends.high / (1 - ends.high) / nullif(ends_before.low / (1 - ends_before.low), 0)
        else ratio * exp(sqrt(
          pow(log_ratio(ends.high / (1 - ends.high), odds), 2)
          + pow(log_ratio(odds_before, ends_before.low / (1 - ends_before.low)), 2)
        ))
      end as ratio_high,
      weeks,
      weeks_before,
      shift,
      greatest(shift_p, if(has_control, share_p, change.p)) as shift_p,
      lag,
      step,
      step_p,
      trend,
      trend_p
    from counted_changes
    left join week_steps(of_weeks := 'counted_steps') using (series)
  )
select * from final
