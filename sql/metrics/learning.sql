-- Closed incidents that link to a post-mortem, and how long it took to begin one. A post-mortem that is older than the
-- close is left out of the lag and counted.
-- question: How many incidents have a post-mortem, and how soon?
-- key: incident_severity, team_name
-- columns:
-- see acknowledgement: incident_severity, team_name
-- closed: incidents closed
-- with_post_mortem: of them, those with a post_mortem_id, unless the service no longer has that post-mortem
-- lag_n: incidents the lag is over: the post-mortem was read, and it is not older than the close
-- lag_negative: incidents left out because the post-mortem is older than the close
-- lag_median_s: median of the post-mortem's created_at - close_time, seconds
-- lag_low_s: lower end of its 95 % interval, see quantile_interval
-- lag_high_s: upper end of its 95 % interval
-- lag_p90_s: its 90th percentile, seconds; null below {p90_min_n}
-- coverage: with_post_mortem / closed, 0 to 1
-- coverage_low: lower end of its 95 % Wilson interval
-- coverage_high: upper end of its 95 % Wilson interval
create or replace macro learning(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  population as (
    from incidents_in(of_incidents := of_incidents, started_from := started_from, started_to := started_to)
  ),
  post_mortems as (select * from post_mortems),
  closed as (
    select
      population.incident_severity,
      population.team_name,
      has_post_mortem(population.post_mortem_id) and post_mortems.vanished_at is null as has_post_mortem,
      case
        when post_mortems.vanished_at is null then epoch(post_mortems.created_at) - epoch(population.closed_at)
      end as lag_s
    from population
    left join post_mortems
      on post_mortems.account_id = population.account_id
      and post_mortems.post_mortem_id = population.post_mortem_id
    where not population.is_open
  ),
  counted as (
    select
      or_all(incident_severity, grouping(incident_severity)) as incident_severity,
      or_all(team_name, grouping(team_name)) as team_name,
      count(*) as closed,
      count(*) filter (has_post_mortem) as with_post_mortem,
      count(*) filter (lag_s >= 0) as lag_n,
      count(*) filter (lag_s < 0) as lag_negative,
      median(lag_s) filter (lag_s >= 0) as lag_median_s,
      quantile_interval(case when lag_s >= 0 then lag_s end, 0.5).low as lag_low_s,
      quantile_interval(case when lag_s >= 0 then lag_s end, 0.5).high as lag_high_s,
      p90(case when lag_s >= 0 then lag_s end) as lag_p90_s
    from closed
    group by cube (incident_severity, team_name)
    having count(*) > 0
  ),
  final as (
    select
      *,
      with_post_mortem / closed as coverage,
      wilson_interval(with_post_mortem, closed).low as coverage_low,
      wilson_interval(with_post_mortem, closed).high as coverage_high
    from counted
  )
select * from final
