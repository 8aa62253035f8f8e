-- MTTA and MTTR under every rule the market uses, one row per incident and rule that counts it. A headline is one of
-- them; definition_sensitivity shows how far they lie apart. Rules of `time_to_ack` (all over incidents not muted):
-- `exclude` is ack - start, the unacknowledged left out; `close_counts` takes the close where nobody acknowledged;
-- `first_action` is the first thing a person did: acknowledged, as responder or on the incident, or closed by hand.
-- Rules of `time_to_resolve`: `handled_by_people` is close - start of those acknowledged or closed by hand; `all_closed`
-- is close - start of all; `open_until_now` counts open ones with their age so far; `recovered` is end - start;
-- `from_acknowledgement` is close - ack.
-- columns:
-- of_incidents: parameter: relation to speak of, with the columns of incident_times; a CTE will do
-- account_id: owning account
-- incident_id: key of the incident
-- incident_severity: configured severity
-- team_name: team that owns the channel, `(no channel)` or `(unknown)`
-- measure: `time_to_ack` or `time_to_resolve`
-- policy: the rule
-- seconds: the time; null when it is negative, has not happened, or nobody knows when
-- is_negative: the time would be negative
create or replace macro policy_times(of_incidents := 'incident_times') as table
with
  population as (select * from query_table(of_incidents)),
  incident_responders as (select * from incident_responders),
  first_answers as (
    select account_id, incident_id, min(acknowledged_at) as answered_at
    from incident_responders
    semi join population using (account_id, incident_id)
    where person_id <> 0 and acknowledged_at is not null
    group by all
  ),
  timed as (
    select
      population.*,
      epoch(population.start_time) as start_s,
      epoch(population.ack_time) as ack_s,
      epoch(population.closed_at) as close_s,
      epoch(population.end_time) as end_s,
      epoch(first_answers.answered_at) as answer_s,
      population.survival_s as seen_s
    from population
    left join first_answers using (account_id, incident_id)
  ),
  ruled as (
    select
      account_id,
      incident_id,
      incident_severity,
      team_name,
      unnest([
        {'measure': 'time_to_ack', 'policy': 'exclude', 'counts': not is_muted, 'span_s': ack_s - start_s},
        {
          'measure': 'time_to_ack', 'policy': 'close_counts', 'counts': not is_muted,
          'span_s': coalesce(ack_s, close_s) - start_s
        },
        {
          'measure': 'time_to_ack', 'policy': 'first_action', 'counts': not is_muted,
          'span_s': least(ack_s, answer_s, case when closer_id <> 0 then close_s end) - start_s
        },
        {
          'measure': 'time_to_resolve', 'policy': 'handled_by_people', 'counts': is_handled_by_people,
          'span_s': close_s - start_s
        },
        {'measure': 'time_to_resolve', 'policy': 'all_closed', 'counts': not is_open, 'span_s': close_s - start_s},
        {
          'measure': 'time_to_resolve', 'policy': 'open_until_now', 'counts': true,
          'span_s': coalesce(seen_s, close_s - start_s)
        },
        {'measure': 'time_to_resolve', 'policy': 'recovered', 'counts': true, 'span_s': end_s - start_s},
        {
          'measure': 'time_to_resolve', 'policy': 'from_acknowledgement', 'counts': not is_open,
          'span_s': close_s - ack_s
        }
      ], recursive := true)
    from timed
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
