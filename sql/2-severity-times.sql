-- Times by account and severity, and over all severities as `(all)`, over the whole history. Quantiles interpolate
-- linearly. The mean is over incidents, never of means. Measures: `time_to_ack` (MTTA, policy `exclude`: ack - start; population not
-- muted), `time_to_close_handled` (MTTR headline: close - start; population closed and handled by people),
-- `time_to_close` (close - start; all incidents), `time_to_recover` (end - start; all incidents). In each row incidents
-- = n + negative + without_time.
-- columns:
-- account_id: the account
-- measure: which time
-- incident_severity: configured severity, or `(all)`
-- incidents: the population
-- n: incidents the statistic is over
-- negative: incidents left out because the time would be negative
-- without_time: incidents left out because it has not happened, or nobody knows when
-- mean_s: mean, seconds
-- median_s: median, seconds
-- p90_s: 90th percentile, seconds; null below n = 10
-- max_s: longest, seconds
with
  incident_times as (select * from incident_times),
  populations as (
    select account_id, 'time_to_ack' as measure, incident_severity, time_to_ack_s as seconds, is_negative_ack as is_negative
    from incident_times
    where not is_muted
    union all
    select account_id, 'time_to_close_handled', incident_severity, time_to_close_s, is_negative_close
    from incident_times
    where is_handled_by_people
    union all
    select account_id, 'time_to_close', incident_severity, time_to_close_s, is_negative_close
    from incident_times
    union all
    select account_id, 'time_to_recover', incident_severity, time_to_recover_s, is_negative_recover
    from incident_times
  ),
  final as (
    select
      account_id,
      measure,
      case when grouping(incident_severity) = 1 then '(all)' else incident_severity end as incident_severity,
      count(*) as incidents,
      count(seconds) as n,
      count(*) filter (is_negative) as negative,
      count(*) filter (seconds is null and not is_negative) as without_time,
      avg(seconds) as mean_s,
      median(seconds) as median_s,
      case when count(seconds) >= 10 then quantile_cont(seconds, 0.9) end as p90_s,
      max(seconds) as max_s
    from populations
    group by grouping sets ((account_id, measure, incident_severity), (account_id, measure))
  )
select * from final
