-- All times by severity and team. Quantiles interpolate linearly. The mean is over incidents, never over means. CIs are
-- those of quantile_ranks and mean_limits. Muted incidents are excluded from `time_to_ack` (ack - start, MTTA by the
-- policy exclude) and `first_assignment_delay` (first assigned_at - start). Muted incidents are also excluded from
-- `time_to_close_handled` (last close - start, handled by people, the headline MTTR), `time_to_first_close` (first
-- close seen - start) and `time_open` (without the time seen closed before a reopening, see incident_changes) of the
-- same incidents. The other measures are `time_to_close` (close - start), `time_to_close_muted` (muted only),
-- `time_to_recover` (end - start), `hands_on` (close - ack), `close_lag` (close - end) and `detection_lag` (created_at
-- - start). In each row incidents = n + negative + without_time.
-- question: What are the times to acknowledge, resolve and recover?
-- key: incident_severity, team_name, measure
-- columns:
-- see acknowledgement: incident_severity, team_name
-- measure: name of the time
-- incidents: incidents of the population
-- see definition_sensitivity: n, negative
-- without_time: incidents excluded because the time is unknown or has not happened
-- see duration_figures: mean_s, mean_low_s, mean_high_s, median_s, median_low_s, median_high_s, p90_s, p90_low_s,
--   p90_high_s, max_s
create or replace macro time_measures(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  population as (
    from incidents_in(of_incidents := of_incidents, started_from := started_from, started_to := started_to)
  ),
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
        {
          'measure': 'time_to_close_muted', 'counts': is_muted,
          'seconds': time_to_close_s, 'is_negative': is_negative_close
        },
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
  counted as (
    select
      incident_severity,
      team_name,
      measure,
      seconds,
      count(*) as n,
      count(*) filter (is_negative) as negative
    from measured
    where counts
    group by incident_severity, team_name, measure, seconds
  ),
  cubed as (
    select
      {
        'incident_severity': or_all(incident_severity, grouping(incident_severity)),
        'team_name': or_all(team_name, grouping(team_name)),
        'measure': measure
      } as series,
      seconds,
      sum(n) as n,
      sum(negative) as negative
    from counted
    group by measure, seconds, cube (incident_severity, team_name)
  ),
  populations as (
    select series, cast(sum(n) as bigint) as incidents, cast(sum(negative) as bigint) as negative
    from cubed
    group by series
  ),
  figures as (
    from duration_figures(of_durations := 'cubed')
  ),
  final as (
    select
      series.incident_severity as incident_severity,
      series.team_name as team_name,
      series.measure as measure,
      incidents,
      n,
      negative,
      incidents - n - negative as without_time,
      mean_s,
      mean_low_s,
      mean_high_s,
      median_s,
      median_low_s,
      median_high_s,
      p90_s,
      p90_low_s,
      p90_high_s,
      max_s
    from populations
    join figures using (series)
  )
select * from final
