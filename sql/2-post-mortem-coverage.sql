-- Closed incidents that link to a post-mortem, by account, the UTC month they started in and severity. The lag is the
-- post-mortem's created_at - close_time, over post-mortems that were read; a negative lag (begun before the close) is
-- left out and counted. Months may be summed: sum the counts, then divide.
-- columns:
-- account_id: the account
-- month: first day of the UTC month of start_time
-- incident_severity: configured severity
-- closed: incidents closed
-- with_post_mortem: of them, those with a post_mortem_id
-- coverage: with_post_mortem / closed, 0 to 1
-- coverage_low: lower end of its 95 % Wilson interval
-- coverage_high: upper end of its 95 % Wilson interval
-- lag_n: incidents the lag is over
-- lag_negative: incidents left out because the post-mortem is older than the close
-- lag_median_s: median lag, seconds
with
  incident_times as (select * from incident_times),
  post_mortems as (select * from post_mortems),
  closed as (
    select
      incident_times.account_id,
      cast(date_trunc('month', incident_times.start_time at time zone 'UTC') as date) as month,
      incident_times.incident_severity,
      coalesce(incident_times.post_mortem_id, '') <> '' as has_post_mortem,
      epoch(post_mortems.created_at) - epoch(incident_times.close_time) as lag_s
    from incident_times
    left join post_mortems using (account_id, post_mortem_id)
    where not incident_times.is_open
  ),
  counted as (
    select
      account_id,
      month,
      incident_severity,
      count(*) as closed,
      count(*) filter (has_post_mortem) as with_post_mortem,
      count(*) filter (lag_s >= 0) as lag_n,
      count(*) filter (lag_s < 0) as lag_negative,
      median(lag_s) filter (lag_s >= 0) as lag_median_s
    from closed
    group by account_id, month, incident_severity
  ),
  final as (
    select
      account_id,
      month,
      incident_severity,
      closed,
      with_post_mortem,
      with_post_mortem / closed as coverage,
      wilson_interval(with_post_mortem, closed).low as coverage_low,
      wilson_interval(with_post_mortem, closed).high as coverage_high,
      lag_n,
      lag_negative,
      lag_median_s
    from counted
  )
select * from final
