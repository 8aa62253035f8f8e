-- Closed incidents with a post-mortem, and the time from the close until the post-mortem was begun. If the post-mortem
-- is older than the close, the incident is excluded from the lag and counted in lag_negative.
-- question: How many incidents have a post-mortem, and how soon?
-- key: incident_severity, team_name
-- columns:
-- see acknowledgement: incident_severity, team_name
-- closed: closed incidents
-- with_post_mortem: closed incidents with a post_mortem_id, unless that post-mortem is missing from the service
-- lag_n: incidents included in the lag: their post-mortem was read and is not older than the close
-- lag_negative: incidents excluded because the post-mortem is older than the close
-- lag_median_s: median of created_at of the post-mortem - close_time in seconds
-- lag_low_s: lower limit of its 95% CI, see quantile_interval
-- lag_high_s: upper limit of its 95% CI
-- lag_p90_s: 90th percentile of the lag in seconds, or null below {p90_min_n}
-- coverage: with_post_mortem / closed, 0 to 1
-- coverage_low: lower limit of its 95% Wilson CI
-- coverage_high: upper limit of its 95% Wilson CI
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
