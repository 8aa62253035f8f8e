-- MTTA and MTTR under every rule of policy_times: how much of the figure is the rule, of all
-- incidents or of those that of_incidents names. `is_chosen` marks the rule of the
-- configuration (table config_policies, name ack; else `exclude`), and `handled_by_people`.
-- columns:
-- started_from: parameter: only incidents started then or later; null is all
-- started_to: parameter: only incidents started before; null is all
-- of_incidents: parameter: relation to speak of, with the columns of incident_times; a CTE will do
-- measure: `time_to_ack` or `time_to_resolve`
-- policy: the rule, see policy_times
-- is_chosen: the rule the headline follows
-- incidents: incidents the rule counts
-- n: incidents the statistic is over
-- negative: incidents left out because the time would be negative
-- without_time: incidents left out because it has not happened, or nobody knows when
-- mean_s: mean, seconds
-- median_s: median, seconds
-- p90_s: 90th percentile, seconds; null below n = 10
create or replace macro definition_sensitivity(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  config_policies as (select * from config_policies),
  population as (from incidents_in(of_incidents := of_incidents, started_from := started_from, started_to := started_to)),
  policy_times as (select * from policy_times(of_incidents := 'population')),
  chosen (measure, policy) as (
    select 'time_to_ack', coalesce(max(value) filter (name = 'ack'), 'exclude')
    from config_policies
    union all
    select 'time_to_resolve', 'handled_by_people'
  ),
  final as (
    select
      measure,
      policy_times.policy,
      policy_times.policy = chosen.policy as is_chosen,
      count(*) as incidents,
      count(seconds) as n,
      count(*) filter (is_negative) as negative,
      count(*) filter (seconds is null and not is_negative) as without_time,
      avg(seconds) as mean_s,
      median(seconds) as median_s,
      p90(seconds) as p90_s
    from policy_times
    join chosen using (measure)
    group by all
  )
select * from final
