-- Whether times changed from one period to the next, see duration_changes: the ratio of medians with its 95 % interval
-- and a verdict at 99 %. The period before is the one that ends where this one begins, and as long unless previous_from
-- says otherwise; it is judged as it stood equally long after its end as this one is known now. Without period_from and
-- period_to there is nothing to compare. Measures are those of time_measures with people in them. The medians are of
-- what is over, on both sides; the ranks count what is open, so that nothing gets faster by leaving things open.
-- columns:
-- period_from: parameter: first moment of the period
-- period_to: parameter: first moment after the period
-- previous_from: parameter: first moment of the period before; null makes it as long
-- incident_severity: configured severity, or `(all)`
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, or `(all)`
-- measure: `time_to_ack`, `time_to_close_handled` or `time_to_close`, see time_measures
-- n: incidents of the period, open ones included
-- n_before: incidents of the period before, those open then included
-- median_s: median of those of the period that are over, seconds
-- median_before_s: median of those of the period before that were over after as long, seconds
-- ratio: now over before; null when either is not known or the one before is 0
-- ratio_low: lower end of its 95 % interval
-- ratio_high: upper end of its 95 % interval
-- p: how likely ranks differ so much, or more, by chance
-- verdict: `faster` or `slower`, each also `possibly`, or as duration_changes has it
create or replace macro time_changes(
  period_from := null, period_to := null, previous_from := null, of_incidents := 'incident_times'
) as table
with
  population as (select * from query_table(of_incidents)),
  as_of as (select * from as_of),
  bounds as (
    select
      coalesce(
        cast(previous_from as timestamptz),
        to_timestamp(2 * epoch(cast(period_from as timestamptz)) - epoch(cast(period_to as timestamptz)))
      ) as previous_from,
      cast(period_from as timestamptz) as period_from,
      cast(period_to as timestamptz) as period_to
  ),
  placed as (
    select
      population.*,
      population.start_time >= bounds.period_from as is_now,
      if(
        is_now,
        week_of_period(population.start_time, bounds.period_from, bounds.period_to),
        week_of_period(population.start_time, bounds.previous_from, bounds.period_from)
      ) as place,
      if(is_now, epoch(as_of.as_of_at), epoch(as_of.as_of_at) - epoch(bounds.period_to) + epoch(bounds.period_from))
        - epoch(population.start_time) as watched_s
    from population
    join bounds on population.start_time >= bounds.previous_from and population.start_time < bounds.period_to
    cross join (select min(as_of_at) as as_of_at from as_of) as as_of
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
      case when seconds <= watched_s then cast(seconds as double) else cast('infinity' as double) end as seconds
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
      count(*) as n
    from seen
    group by measure, is_now, place, seconds, cube (incident_severity, team_name)
  ),
  finished as (
    select {'of': series, 'is_now': is_now} as series, seconds, n from observations where not isinf(seconds)
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
