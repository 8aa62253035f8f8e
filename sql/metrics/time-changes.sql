-- Changes of times from the previous to the current period, with the ratio of medians, its 95% CI and a verdict at 1%,
-- see duration_changes. The previous period ends where the current one begins and is equally long unless previous_from
-- is set. Both periods have the same follow-up time after they ended. Up to 12 earlier weeks, if known (known_since),
-- are used in blocks of the same length and with the same follow-up time. Empty without period_from and period_to.
-- Measures are those of time_measures that involve people. Medians include finished incidents only, in both periods.
-- The ranks include open incidents, so that leaving incidents open does not look faster.
-- columns:
-- period_from: parameter: first moment of the current period
-- period_to: parameter: first moment after the current period
-- previous_from: parameter: first moment of the previous period, or null for the same length
-- see acknowledgement: incident_severity, team_name
-- measure: `time_to_ack`, `time_to_close_handled` or `time_to_close`, see time_measures
-- n: incidents of the current period, including open ones
-- n_before: incidents of the previous period, including those open then
-- median_s: median of the finished incidents of the current period in seconds
-- median_before_s: median of the incidents of the previous period that finished within the same follow-up time, in
--   seconds
-- ratio: median_s / median_before_s, or null if one is unknown or the previous is 0
-- see duration_changes: ratio_low, p
-- ratio_high: upper limit of its 95% CI
-- verdict: `faster` or `slower`, each also with `possibly`, or another verdict of duration_changes
create or replace macro time_changes(
  period_from := null, period_to := null, previous_from := null, of_incidents := 'incident_times'
) as table
with
  population as (select * from query_table(of_incidents)),
  as_of as (select * from as_of),
  given as (
    select
      cast(period_from as timestamptz) as period_from,
      cast(period_to as timestamptz) as period_to,
      coalesce(
        cast(previous_from as timestamptz),
        to_timestamp(2 * epoch(cast(period_from as timestamptz)) - epoch(cast(period_to as timestamptz)))
      ) as previous_from
  ),
  bounds as (
    select
      given.*,
      week_of_period(given.period_from, given.previous_from, given.period_from) + 1 as places,
      coalesce(
        greatest(0, least(12, floor((epoch(given.previous_from) - epoch(known.covered_from)) / 604800))), 0
      ) as weeks_known,
      epoch(read_at.as_of_at) - epoch(given.period_to) as after_s
    from given
    cross join (select min(as_of_at) as as_of_at from as_of) as read_at
    cross join (select min(covered_from) as covered_from from known_since) as known
  ),
  placed as (
    select
      population.*,
      floor((epoch(bounds.previous_from) - epoch(population.start_time) - 1e-6) / 604800) as weeks_back,
      population.start_time >= bounds.period_from as is_now,
      cast(case
        when is_now then week_of_period(population.start_time, bounds.period_from, bounds.period_to)
        when population.start_time >= bounds.previous_from
          then week_of_period(population.start_time, bounds.previous_from, bounds.period_from)
        else -1 - weeks_back
      end as bigint) as place,
      after_s - epoch(population.start_time) + case
        when is_now then epoch(bounds.period_to)
        when population.start_time >= bounds.previous_from then epoch(bounds.period_from)
        else epoch(bounds.previous_from) - 604800 * places * floor(weeks_back / places)
      end as watched_s
    from population
    join bounds
      on population.start_time >= bounds.previous_from - interval 84 day
      and population.start_time < bounds.period_to
    where weeks_back < weeks_known
  ),
  measured as (
    select
      incident_severity,
      team_name,
      is_now,
      place,
      watched_s,
      is_open or time_to_close_s > watched_s as is_open_then,
      unnest([
        {'measure': 'time_to_ack', 'seconds': time_to_ack_s, 'counts': not is_muted},
        {'measure': 'time_to_close_handled', 'seconds': time_to_resolve_s, 'counts': not is_muted},
        {'measure': 'time_to_close', 'seconds': time_to_close_s, 'counts': true}
      ], recursive := true)
    from placed
  ),
  seen as (
    select
      measure,
      incident_severity,
      team_name,
      is_now,
      place,
      coalesce(seconds > watched_s, true) as is_open,
      cast(if(is_open, watched_s, seconds) as double) as seconds
    from measured
    where counts and watched_s >= 0 and (coalesce(seconds <= watched_s, false) or is_open_then)
  ),
  observations as (
    select
      {
        'measure': measure,
        'incident_severity': or_all(incident_severity, grouping(incident_severity)),
        'team_name': or_all(team_name, grouping(team_name))
      } as series,
      is_now,
      place,
      seconds,
      is_open,
      count(*) as n
    from seen
    group by measure, is_now, place, seconds, is_open, cube (incident_severity, team_name)
  ),
  finished as (
    select {'of': series, 'is_now': is_now} as series, seconds, n from observations where not is_open and place >= 0
  ),
  medians as (
    select
      series['of'] as series,
      max(median_s) filter (series['is_now']) as median_s,
      max(median_s) filter (not series['is_now']) as median_before_s
    from duration_figures(of_durations := 'finished')
    group by all
  ),
  changes as (
    from duration_changes(of_observations := 'observations', of_medians := 'medians')
  ),
  final as (
    select
      series.incident_severity as incident_severity,
      series.team_name as team_name,
      series.measure as measure,
      n,
      n_before,
      median_s,
      median_before_s,
      ratio,
      ratio_low,
      ratio_high,
      p,
      replace(replace(verdict, 'shorter', 'faster'), 'longer', 'slower') as verdict
    from changes
  )
select * from final
