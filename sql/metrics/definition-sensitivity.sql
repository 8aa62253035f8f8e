-- MTTA and MTTR by every rule of policy_times, to show how much these times depend on the rule. `is_chosen` marks the
-- rule of the configuration (table config_policies, name ack, default `exclude`) and `handled_by_people`.
-- question: How much do the times to acknowledge and resolve depend on the rule?
-- key: measure, policy
-- columns:
-- started_from: parameter: only incidents started then or later, null for all
-- started_to: parameter: only incidents started before, null for all
-- of_incidents: parameter: relation to read, with the columns of incident_times. It can be a CTE
-- see policy_times: measure
-- policy: the rule, see policy_times
-- is_chosen: the headline uses this rule
-- incidents: incidents that the rule includes
-- n: incidents with a time
-- negative: incidents excluded because the time would be negative
-- without_time: incidents excluded because the time is unknown or has not happened
-- see duration_figures: mean_s, median_s, p90_s
create or replace macro definition_sensitivity(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  config_policies as (select * from config_policies),
  population as (
    from incidents_in(of_incidents := of_incidents, started_from := started_from, started_to := started_to)
  ),
  policy_times as (select * from policy_times(of_incidents := 'population')),
  -- Equal times are counted, because eight lists of a million incidents would not fit into memory.
  rule_durations as (
    select {'measure': measure, 'policy': policy} as series, seconds, is_negative, count(*) as n
    from policy_times
    group by all
  ),
  populations as (
    select
      series,
      cast(sum(n) as bigint) as incidents,
      cast(coalesce(sum(n) filter (is_negative), 0) as bigint) as negative
    from rule_durations
    group by series
  ),
  figures as (
    from duration_figures(of_durations := 'rule_durations')
  ),
  chosen (measure, policy) as (
    select 'time_to_ack', coalesce(max(value) filter (name = 'ack'), 'exclude')
    from config_policies
    union all
    select 'time_to_resolve', 'handled_by_people'
  ),
  final as (
    select
      chosen.measure,
      series.policy as policy,
      series.policy = chosen.policy as is_chosen,
      incidents,
      n,
      negative,
      incidents - n - negative as without_time,
      mean_s,
      median_s,
      p90_s
    from populations
    join figures using (series)
    join chosen on chosen.measure = series.measure
  )
select * from final
