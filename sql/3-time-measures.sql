-- Every time by severity and team. Quantiles interpolate linearly; the mean is over incidents, never of means; intervals
-- are those of quantile_ranks and mean_limits. Measures: `time_to_ack` (MTTA, policy exclude: ack - start; not muted),
-- `time_to_close_handled` (MTTR headline: close - start, of a reopened one the last close; closed, handled by people, not
-- muted), of the same incidents `time_to_first_close` (first close seen - start) and `time_open` (without the time they were
-- seen closed before a reopening, see incident_changes), `time_to_close` (close - start), `time_to_close_muted` (muted only),
-- `time_to_recover` (end - start), `hands_on` (close - ack), `close_lag` (close - end), `detection_lag` (created_at -
-- start), `first_assignment_delay` (first assigned_at - start; not muted). In each row incidents = n + negative +
-- without_time.
-- columns:
-- incident_severity: configured severity, or `(all)`
-- team_name: team that owns the channel, `(no channel)`, `(unknown)`, or `(all)`
-- measure: which time
-- incidents: the population
-- n: incidents the statistic is over
-- negative: incidents left out because the time would be negative
-- without_time: incidents left out because it has not happened, or the time is unknown
-- mean_s: mean, seconds
-- mean_low_s: lower end of its 95 % interval; null below n = 20
-- mean_high_s: upper end of its 95 % interval; null below n = 20
-- median_s: median, seconds
-- median_low_s: lower end of its 95 % interval; null below n = 6
-- median_high_s: upper end of its 95 % interval; null below n = 6
-- p90_s: 90th percentile, seconds; null below n = 10
-- p90_low_s: lower end of its 95 % interval; null below n = 36
-- p90_high_s: upper end of its 95 % interval; null below n = 36
-- max_s: longest, seconds
create or replace macro time_measures(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  population as (from incidents_in(of_incidents := of_incidents, started_from := started_from, started_to := started_to)),
  incident_response as (select * from incident_response),
  incident_changes as (select * from incident_changes),
  measured as (
    select
      incident_severity,
      team_name,
      unnest([
        {'measure': 'time_to_ack', 'counts': not is_muted, 'seconds': time_to_ack_s, 'is_negative': is_negative_ack},
        {
          'measure': 'time_to_close_handled', 'counts': is_handled_by_people and not is_muted,
          'seconds': time_to_close_s, 'is_negative': is_negative_close
        },
        {
          'measure': 'time_to_first_close', 'counts': is_handled_by_people and not is_muted,
          'seconds': first_close_s(time_to_close_s, start_time, first_closed_at), 'is_negative': is_negative_close
        },
        {
          'measure': 'time_open', 'counts': is_handled_by_people and not is_muted,
          'seconds': open_s(time_to_close_s, closed_s), 'is_negative': is_negative_close
        },
        {'measure': 'time_to_close', 'counts': true, 'seconds': time_to_close_s, 'is_negative': is_negative_close},
        {'measure': 'time_to_close_muted', 'counts': is_muted, 'seconds': time_to_close_s, 'is_negative': is_negative_close},
        {
          'measure': 'time_to_recover', 'counts': true,
          'seconds': time_to_recover_s, 'is_negative': is_negative_recover
        },
        {
          'measure': 'hands_on', 'counts': not is_open,
          'seconds': hands_on_s, 'is_negative': coalesce(closed_at < ack_time, false)
        },
        {
          'measure': 'close_lag', 'counts': not is_open,
          'seconds': close_lag_s, 'is_negative': coalesce(closed_at < end_time, false)
        },
        {
          'measure': 'detection_lag', 'counts': true,
          'seconds': detection_lag_s, 'is_negative': coalesce(created_at < start_time, false)
        },
        {
          'measure': 'first_assignment_delay', 'counts': not is_muted,
          'seconds': first_assignment_delay_s, 'is_negative': coalesce(is_negative_assignment, false)
        }
      ], recursive := true)
    from population
    left join incident_response using (account_id, incident_id)
    left join incident_changes using (account_id, incident_id)
  ),
  -- Equal seconds are one row with a count: a million incidents have far fewer different times, and no list of them all
  -- has to lie in memory.
  distinct_times as (
    select
      incident_severity,
      team_name,
      measure,
      seconds,
      count(*) as incidents,
      count(*) filter (is_negative) as negative
    from measured
    where counts
    group by incident_severity, team_name, measure, seconds
  ),
  cubed as (
    select
      or_all(incident_severity, grouping(incident_severity)) as incident_severity,
      or_all(team_name, grouping(team_name)) as team_name,
      measure,
      seconds,
      sum(incidents) as incidents,
      sum(negative) as negative
    from distinct_times
    group by measure, seconds, cube (incident_severity, team_name)
  ),
  summed as (
    select
      incident_severity,
      team_name,
      measure,
      cast(sum(incidents) as bigint) as incidents,
      cast(coalesce(sum(incidents) filter (seconds is not null), 0) as bigint) as n,
      cast(sum(negative) as bigint) as negative,
      sum(seconds * incidents) as total_s,
      max(seconds) as max_s
    from cubed
    group by incident_severity, team_name, measure
  ),
  -- Once a group, not once a row.
  placed as materialized (
    select *, quantile_ranks(n, 0.5) as median_ranks, quantile_ranks(n, 0.9) as p90_ranks from summed
  ),
  counted as (
    select
      *,
      cast(sum(incidents) over (
        partition by incident_severity, team_name, measure order by seconds rows unbounded preceding
      ) as bigint) as reached
    from cubed
    where seconds is not null
  ),
  -- The value at a rank, counted from 1, is the first one that as many incidents reach. The ranks of the intervals are
  -- those of quantile_ranks.
  ranked as (
    select
      incident_severity,
      team_name,
      measure,
      min(seconds) filter (reached >= 1 + floor((n - 1) * 0.5)) as median_below_s,
      min(seconds) filter (reached >= 1 + ceil((n - 1) * 0.5)) as median_above_s,
      min(seconds) filter (reached >= median_ranks.low) as median_low_s,
      min(seconds) filter (reached >= median_ranks.high) as median_high_s,
      min(seconds) filter (reached >= 1 + floor((n - 1) * 0.9e0)) as p90_below_s,
      min(seconds) filter (reached >= 1 + ceil((n - 1) * 0.9e0)) as p90_above_s,
      min(seconds) filter (reached >= p90_ranks.low) as p90_low_s,
      min(seconds) filter (reached >= p90_ranks.high) as p90_high_s,
      sqrt(sum(counted.incidents * pow(seconds - total_s / n, 2)) / nullif(n - 1, 0)) as deviation_s,
      sum(counted.incidents * pow(seconds - total_s / n, 3)) / nullif(pow(deviation_s, 3), 0) * n / nullif((n - 1) * (n - 2), 0) as skew
    from counted
    join placed using (incident_severity, team_name, measure)
    group by incident_severity, team_name, measure, n, total_s
  ),
  limited as (
    select *, mean_limits(n, total_s / nullif(n, 0), deviation_s, skew, lowest := 0) as mean_limits
    from summed
    left join ranked using (incident_severity, team_name, measure)
  ),
  final as (
    select
      incident_severity,
      team_name,
      measure,
      incidents,
      n,
      negative,
      incidents - n - negative as without_time,
      total_s / nullif(n, 0) as mean_s,
      mean_limits.low as mean_low_s,
      mean_limits.high as mean_high_s,
      (median_below_s + median_above_s) / 2 as median_s,
      case when n >= threshold('interval_min_n', 6) then median_low_s end as median_low_s,
      case when n >= threshold('interval_min_n', 6) then median_high_s end as median_high_s,
      case
        when n >= threshold('p90_min_n', 10)
          then p90_below_s + (p90_above_s - p90_below_s) * ((n - 1) * 0.9e0 - floor((n - 1) * 0.9e0))
      end as p90_s,
      case when n >= threshold('p90_min_n', 10) then p90_low_s end as p90_low_s,
      case when n >= threshold('p90_min_n', 10) then p90_high_s end as p90_high_s,
      max_s
    from limited
  )
select * from final
