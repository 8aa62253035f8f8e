-- MTTA and MTTR by every common rule, one row per incident and rule that includes the incident. One of them is the
-- headline, and definition_sensitivity compares them. Rules of `time_to_ack`, all for incidents that were not muted:
-- `exclude`, `close_counts` and `first_action`, see ack_by_policy. Rules of `time_to_resolve` from start to close:
-- `handled_by_people` for those acknowledged or closed manually and not muted, `all_closed` for all, `closed_by_timer`
-- for those closed by neither a person nor a recovery. `open_until_now` also includes open ones with their age,
-- `recovered` is end - start, and `from_acknowledgement` is close - ack.
-- columns:
-- of_incidents: parameter: relation to read, with the columns of incident_times. It can be a CTE
-- see channel_owners: account_id
-- see incident_automation: incident_id
-- see assignment_outcomes: incident_severity, team_name
-- measure: `time_to_ack` or `time_to_resolve`
-- policy: the rule
-- seconds: the time, or null if it is negative, unknown or has not happened
-- is_negative: the time is negative
create or replace macro policy_times(of_incidents := 'incident_times') as table
with
  population as (select * from query_table(of_incidents)),
  first_answers as (select * from first_answers),
  incident_automation as (select * from incident_automation),
  timed as (
    select
      population.*,
      epoch(population.start_time) as start_s,
      epoch(population.ack_time) as ack_s,
      epoch(population.closed_at) as close_s,
      epoch(population.end_time) as end_s,
      epoch(first_answers.answered_at) as answer_s,
      -- Actions of automation are not actions of a person.
      if(did.is_acknowledged_by_automation, null, ack_s) as person_ack_s,
      if(did.is_resolved_by_automation, 0, population.closer_id) as person_closer_id,
      population.survival_s as seen_s
    from population
    left join first_answers using (account_id, incident_id)
    left join incident_automation as did using (account_id, incident_id)
  ),
  -- One row per incident and rule, because a list per incident would take twice as long.
  ruled as (
    select
      timed.account_id,
      timed.incident_id,
      timed.incident_severity,
      timed.team_name,
      rules.measure,
      rules.policy,
      case
        when rules.measure = 'time_to_ack' then not timed.is_muted
        when rules.policy = 'handled_by_people' then timed.is_handled_by_people and not timed.is_muted
        when rules.policy in ('all_closed', 'from_acknowledgement') then not timed.is_open
        when rules.policy = 'closed_by_timer' then coalesce(timed.close_type = 'auto_timeout', false)
        else true
      end as counts,
      case
        when rules.measure = 'time_to_ack'
          then ack_by_policy(
            rules.policy,
            if(rules.policy = 'first_action', person_ack_s, ack_s),
            answer_s,
            close_s,
            person_closer_id
          ) - start_s
        when rules.policy = 'open_until_now' then coalesce(seen_s, close_s - start_s)
        when rules.policy = 'recovered' then end_s - start_s
        when rules.policy = 'from_acknowledgement' then close_s - ack_s
        else close_s - start_s
      end as span_s
    from timed
    cross join (
      values
        ('time_to_ack', 'exclude'),
        ('time_to_ack', 'close_counts'),
        ('time_to_ack', 'first_action'),
        ('time_to_resolve', 'handled_by_people'),
        ('time_to_resolve', 'all_closed'),
        ('time_to_resolve', 'closed_by_timer'),
        ('time_to_resolve', 'open_until_now'),
        ('time_to_resolve', 'recovered'),
        ('time_to_resolve', 'from_acknowledgement')
    ) as rules (measure, policy)
  ),
  final as (
    select
      account_id,
      incident_id,
      incident_severity,
      team_name,
      measure,
      policy,
      case when span_s >= 0 then span_s end as seconds,
      coalesce(span_s < 0, false) as is_negative
    from ruled
    where counts
  )
select * from final
