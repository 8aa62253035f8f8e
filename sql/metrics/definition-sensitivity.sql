-- MTTA and MTTR under every rule of policy_times: how much of the figure is the rule, of all
-- incidents or of those that of_incidents names. `is_chosen` marks the rule of the
-- configuration (table config_policies, name ack; else `exclude`), and `handled_by_people`.
-- question: How much of the times to acknowledge and resolve is the rule that they are made by?
-- key: measure, policy
-- columns:
-- started_from: parameter: only incidents started then or later; null is all
-- started_to: parameter: only incidents started before; null is all
-- of_incidents: parameter: relation to speak of, with the columns of incident_times; a CTE will do
-- see policy_times: measure
-- policy: the rule, see policy_times
-- is_chosen: the rule the headline follows
-- incidents: incidents the rule counts
-- n: incidents the statistic is over
-- negative: incidents left out because the time would be negative
-- without_time: incidents left out because it has not happened, or nobody knows when
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
  -- Equal times are counted: eight lists of a million incidents would have to lie in memory.
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
