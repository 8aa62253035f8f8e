-- Incidents that automation acknowledged, resolved or handed to people, and the times of the acknowledgements by
-- people. Muted incidents are excluded, see incident_automation. Empty if no automation is configured.
-- question: What does automation acknowledge, resolve and hand to people?
-- key: incident_severity, team_name
-- rule: Automation: members and integrations that are configured as automation. Human time to acknowledge is from start
--   to the first acknowledgement by a person.
-- columns:
-- see acknowledgement: incident_severity, team_name
-- incidents: all incidents
-- acknowledged: incidents that automation acknowledged first
-- acknowledged_share: acknowledged / incidents, 0 to 1
-- acknowledged_low: lower limit of its 95% Wilson CI
-- acknowledged_high: upper limit of its 95% Wilson CI
-- closed: closed incidents
-- resolved: closed incidents that automation resolved
-- resolved_share: resolved / closed, 0 to 1
-- resolved_low: lower limit of its 95% Wilson CI
-- resolved_high: upper limit of its 95% Wilson CI
-- taken: incidents assigned to or acknowledged by automation
-- handed: `taken` incidents that a person then acknowledged or closed
-- handed_share: handed / taken, 0 to 1
-- handed_low: lower limit of its 95% Wilson CI
-- handed_high: upper limit of its 95% Wilson CI
-- people_n: incidents that a person acknowledged
-- people_median_s: median time to acknowledge by a person in seconds
-- people_low_s: lower limit of its 95% CI
-- people_high_s: upper limit of its 95% CI
create or replace macro automation(
  started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  config_automation as (select * from config_automation),
  population as (
    from incidents_in(of_incidents := of_incidents, started_from := started_from, started_to := started_to)
    where not is_muted and exists (select 1 from config_automation)
  ),
  incident_automation as (select * from incident_automation),
  told as (
    select
      population.incident_severity,
      population.team_name,
      not population.is_open as is_closed,
      coalesce(did.is_acknowledged_by_automation, false) as is_acknowledged,
      coalesce(did.is_resolved_by_automation, false) as is_resolved,
      coalesce(did.was_on_it, false) as was_on_it,
      coalesce(did.is_handed_to_people, false) as is_handed,
      epoch(if(did.incident_id is null, population.ack_time, did.person_answered_at)) - epoch(start_time) as after_s,
      if(after_s >= 0, after_s, null) as people_s
    from population
    left join incident_automation as did using (account_id, incident_id)
  ),
  counted as (
    select
      or_all(incident_severity, grouping(incident_severity)) as incident_severity,
      or_all(team_name, grouping(team_name)) as team_name,
      count(*) as incidents,
      count(*) filter (is_acknowledged) as acknowledged,
      count(*) filter (is_closed) as closed,
      count(*) filter (is_resolved) as resolved,
      count(*) filter (was_on_it) as taken,
      count(*) filter (is_handed) as handed,
      count(people_s) as people_n,
      median(people_s) as people_median_s,
      quantile_interval(people_s, 0.5) as people_interval
    from told
    group by cube (incident_severity, team_name)
    having count(*) > 0
  ),
  final as (
    select
      * exclude (people_interval),
      acknowledged / incidents as acknowledged_share,
      wilson_interval(acknowledged, incidents).low as acknowledged_low,
      wilson_interval(acknowledged, incidents).high as acknowledged_high,
      resolved / nullif(closed, 0) as resolved_share,
      wilson_interval(resolved, closed).low as resolved_low,
      wilson_interval(resolved, closed).high as resolved_high,
      handed / nullif(taken, 0) as handed_share,
      wilson_interval(handed, taken).low as handed_low,
      wilson_interval(handed, taken).high as handed_high,
      people_interval.low as people_low_s,
      people_interval.high as people_high_s
    from counted
  )
select * from final
