-- Whether times changed from one period to the next: the ratio of geometric means with its 95 % interval (see
-- duration_change), and the smallest fall that would have shown (see smallest_detectable_fall). The period before is the
-- one that ends where this one begins, and as long unless previous_from says otherwise. Without period_from and
-- period_to there is nothing to compare. Measures are those of time_measures with people in them.
-- columns:
-- period_from: parameter: first moment of the period
-- period_to: parameter: first moment after the period
-- previous_from: parameter: first moment of the period before; null makes it as long
-- incident_severity: configured severity, or `(all)`
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, or `(all)`
-- measure: `time_to_ack`, `time_to_close_handled` or `time_to_close`, see time_measures
-- n: incidents of the period
-- n_before: incidents of the period before
-- geometric_mean_s: geometric mean of the period, seconds
-- geometric_mean_before_s: geometric mean of the period before, seconds
-- ratio: now over before; null when either has fewer than 2
-- ratio_low: lower end of its 95 % interval
-- ratio_high: upper end of its 95 % interval
-- verdict: `faster`, `slower`, `no detectable change` (the interval holds 1), or `too few to compare`
-- smallest_fall: the smallest fall that would have shown, 0 to 1
create or replace macro time_changes(
  period_from := null, period_to := null, previous_from := null, of_incidents := 'incident_times'
) as table
with
  population as (select * from query_table(of_incidents)),
  bounds as (
    select
      coalesce(
        cast(previous_from as timestamptz),
        to_timestamp(2 * epoch(cast(period_from as timestamptz)) - epoch(cast(period_to as timestamptz)))
      ) as previous_from,
      cast(period_from as timestamptz) as period_from,
      cast(period_to as timestamptz) as period_to
  ),
  measured as (
    select
      population.incident_severity,
      population.team_name,
      population.start_time >= bounds.period_from as is_now,
      unnest([
        {'measure': 'time_to_ack', 'seconds': case when not is_muted then time_to_ack_s end},
        {'measure': 'time_to_close_handled', 'seconds': time_to_resolve_s},
        {'measure': 'time_to_close', 'seconds': time_to_close_s}
      ], recursive := true)
    from population
    join bounds on population.start_time >= bounds.previous_from and population.start_time < bounds.period_to
  ),
  grouped as (
    select
      or_all(incident_severity, grouping(incident_severity)) as incident_severity,
      or_all(team_name, grouping(team_name)) as team_name,
      measure,
      log_moments(case when is_now then seconds end) as moments_now,
      log_moments(case when not is_now then seconds end) as moments_before
    from measured
    group by measure, cube (incident_severity, team_name)
  ),
  compared as (
    select
      *,
      duration_change(moments_now, moments_before) as change,
      smallest_detectable_fall(moments_now, moments_before) as smallest_fall
    from grouped
  ),
  final as (
    select
      incident_severity,
      team_name,
      measure,
      moments_now.n as n,
      moments_before.n as n_before,
      exp(moments_now.mean) - 1 as geometric_mean_s,
      exp(moments_before.mean) - 1 as geometric_mean_before_s,
      change.estimate as ratio,
      change.low as ratio_low,
      change.high as ratio_high,
      case
        when change is null then 'too few to compare'
        when change.high < 1 then 'faster'
        when change.low > 1 then 'slower'
        else 'no detectable change'
      end as verdict,
      smallest_fall
    from compared
  )
select * from final
