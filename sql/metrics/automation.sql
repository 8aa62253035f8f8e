-- What automation acknowledged and resolved, what it handed to people, and how long those took that a person
-- acknowledged: of incidents that were not muted, see incident_automation. Nothing where no automation is configured.
-- question: What does automation acknowledge and resolve, and what does it hand to people?
-- key: incident_severity, team_name
-- rule: Automation: members and integrations that the configuration names as no person. Time to acknowledge of people:
--   from start to the first acknowledgement of a person.
-- columns:
-- see acknowledgement: incident_severity, team_name
-- incidents: all incidents
-- acknowledged: of them, those that automation acknowledged first
-- acknowledged_share: acknowledged / incidents, 0 to 1
-- acknowledged_low: lower end of its 95 % Wilson interval
-- acknowledged_high: upper end of its 95 % Wilson interval
-- closed: closed ones
-- resolved: of them, those that automation resolved
-- resolved_share: resolved / closed, 0 to 1
-- resolved_low: lower end of its 95 % Wilson interval
-- resolved_high: upper end of its 95 % Wilson interval
-- taken: incidents that automation was on
-- handed: of them, those that a person acknowledged or closed then
-- handed_share: handed / taken, 0 to 1
-- handed_low: lower end of its 95 % Wilson interval
-- handed_high: upper end of its 95 % Wilson interval
-- people_n: incidents that a person acknowledged
-- people_median_s: median time to that, seconds
-- people_low_s: lower end of its 95 % interval
-- people_high_s: upper end of its 95 % interval
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
