-- Change of durations since an event, for each of several series. The affected teams are compared with all other teams,
-- if any (difference in differences). Durations are scored within their own team (duration_scores). Each week counts
-- once, with the mean score of the affected teams minus that of the others, and week_steps tests for a step. Ratios
-- compare the medians of equally many weeks since and before, see duration_changes. If there are other teams, the ratio
-- is divided by theirs and its CI combines both CIs. Source: Angrist and Pischke 2009, Mostly Harmless Econometrics,
-- chapter 5; Zou and Donner 2008, Stat. Med. 27, 1693-1702.
-- columns:
-- of_times: parameter: name of the relation of durations, with the columns of no_event_times
-- see duration_scores: series
-- n: durations of the affected teams since the event, including open ones
-- n_before: durations of the affected teams in the same number of weeks before
-- is_few: fewer than 8 since the event or before
-- value: median since the event in seconds, or null if half are open
-- value_before: median before the event in seconds, with the same follow-up time
-- see event_counts: has_control, ratio_high
-- control_n: durations of the other teams since the event
-- control_value: median of the other teams since the event in seconds
-- control_before: median of the other teams before the event in seconds
-- ratio: median since over median before. If there are other teams, it is divided by their ratio
-- see duration_changes: ratio_low
-- see week_steps: weeks, weeks_before, shift, shift_p, lag, step, step_p, trend, trend_p
create or replace macro event_times(of_times := 'no_event_times') as table
with
  no_event_times as (select * from no_event_times()),
  event_observations as materialized (
    select
      series,
      team_name,
      is_touched,
      week,
      week >= 0 as is_now,
      if(week >= 0, week, week + max(week) over (partition by series) + 1) as place,
      seconds,
      is_open,
      n
    from query_table(of_times)
  ),
  event_sides as (
    select {'of': series, 'is_touched': is_touched} as series, is_now, place, seconds, is_open, n
    from event_observations
  ),
  event_changes_of_sides as materialized (select * from duration_changes(of_observations := 'event_sides')),
  event_pairs as (
    select
      touched.series['of'] as series,
      touched,
      others,
      coalesce(least(others.n, others.n_before) >= 8 and others.weeks >= 3, false) as has_control
    from (from event_changes_of_sides where series['is_touched']) as touched
    left join (from event_changes_of_sides where not series['is_touched']) as others
      on others.series['of'] is not distinct from touched.series['of']
  ),
  event_ratios as (
    select
      series,
      touched.n as n,
      touched.n_before as n_before,
      least(touched.n, touched.n_before) < 8 as is_few,
      touched.median_s as value,
      touched.median_before_s as value_before,
      has_control,
      others.n as control_n,
      others.median_s as control_value,
      others.median_before_s as control_before,
      if(has_control, touched.ratio / nullif(others.ratio, 0), touched.ratio) as ratio,
      if(has_control, touched.ratio / nullif(others.ratio, 0) * exp(-sqrt(
        pow(log_ratio(touched.ratio, touched.ratio_low), 2) + pow(log_ratio(others.ratio_high, others.ratio), 2)
      )), touched.ratio_low) as ratio_low,
      if(has_control, touched.ratio / nullif(others.ratio, 0) * exp(sqrt(
        pow(log_ratio(touched.ratio_high, touched.ratio), 2) + pow(log_ratio(others.ratio, others.ratio_low), 2)
      )), touched.ratio_high) as ratio_high
    from event_pairs
  ),
  event_teams as (
    select
      {'of': series, 'team': team_name, 'is_touched': is_touched} as series, is_now, week as place, seconds, is_open, n
    from event_observations
  ),
  -- Change of the mean score of a team if all of its durations doubled. A smaller spread gives a larger change.
  event_doubled as (
    select series, true as is_now, 0 as place, 2 * seconds as seconds, is_open, n from event_teams
    union all
    select series, false, 0, seconds, is_open, n from event_teams
  ),
  event_moves as (
    select
      series,
      greatest(0.01, max(scores / n) filter (is_now) - max(scores / n) filter (not is_now)) as of_doubling
    from duration_scores(of_observations := 'event_doubled')
    group by series
  ),
  event_sums as (
    select
      scored.series['of'] as series,
      scored.series['is_touched'] as is_touched,
      place as week,
      sum(n) as n,
      sum(n * of_doubling) as moves,
      sum(scores - n / 2) as scores,
      sum(squares - scores + n / 4) as squares
    from duration_scores(of_observations := 'event_teams') as scored
    join event_moves on event_moves.series = scored.series
    group by all
  ),
  -- Weekly scores in units of doublings.
  event_scores as (
    select
      *,
      scores / moves as y_of_side,
      greatest(0, sum(squares) over side / sum(n) over side - pow(sum(scores) over side / sum(n) over side, 2))
        * n / pow(moves, 2) as noise
    from event_sums
    window side as (partition by series, is_touched)
  ),
  event_weeks as (
    select
      touched.series as series,
      touched.week as week,
      touched.y_of_side - if(has_control, others.y_of_side, 0) as y,
      touched.noise + if(has_control, others.noise, 0) as noise
    from (from event_scores where is_touched) as touched
    join event_ratios on event_ratios.series is not distinct from touched.series
    left join (from event_scores where not is_touched) as others
      on others.series is not distinct from touched.series and others.week = touched.week
    where not has_control or others.week is not null
  ),
  final as (
    select event_ratios.*, steps.* exclude (series)
    from event_ratios
    left join week_steps(of_weeks := 'event_weeks') as steps on steps.series is not distinct from event_ratios.series
  )
select * from final
