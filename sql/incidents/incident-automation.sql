-- Actions of automation (`reporting.automation`) on incidents, and of people who took over from it. One row per
-- incident that automation was assigned to, acknowledged or resolved.
-- rule: Automation: members and integrations that are configured as automation.
-- columns:
-- account_id: owning account
-- incident_id: key of the incident
-- answered_at: first acknowledgement by automation, or null if none
-- person_answered_at: first known acknowledgement by a person, or null if none
-- is_acknowledged_by_automation: automation acknowledged first. A corrected acknowledgement counts as an
--   acknowledgement by a person
-- is_resolved_by_automation: automation closed it, or alerts of a configured integration recovered and closed it
-- was_on_it: the incident was assigned to or acknowledged by automation
-- is_handed_to_people: was_on_it, and a person acknowledged it afterwards or closed it
with
  config_automation as (select * from config_automation),
  incident_responders as (select * from incident_responders),
  automation_members as (select * from automation_members),
  incidents as (select * from incident_times where exists (select 1 from config_automation)),
  touched as (
    select distinct account_id, incident_id
    from incident_responders
    join automation_members as machines using (account_id)
    where machines.member_id = person_id and person_id <> 0 and exists (select 1 from config_automation)
  ),
  assigned as (
    select
      incident_responders.account_id,
      incident_responders.incident_id,
      incident_responders.acknowledged_at,
      machines.member_id is not null as is_machine
    from incident_responders
    semi join touched using (account_id, incident_id)
    left join automation_members as machines
      on machines.account_id = incident_responders.account_id and machines.member_id = incident_responders.person_id
    where incident_responders.person_id <> 0
  ),
  answers as (
    select
      account_id,
      incident_id,
      true as was_on_it,
      min(acknowledged_at) filter (is_machine) as answered_at,
      min(acknowledged_at) filter (not is_machine) as seen_at
    from assigned
    group by account_id, incident_id
  ),
  judged as (
    select
      incidents.account_id,
      incidents.incident_id,
      answers.answered_at,
      coalesce(answers.was_on_it, false) as was_on_it,
      coalesce(
        answers.answered_at <= least(coalesce(answers.seen_at, answers.answered_at), incidents.ack_time)
          and not list_contains(coalesce(incidents.corrected, []), 'ack_time'),
        false
      ) as is_acknowledged_by_automation,
      case when is_acknowledged_by_automation then answers.seen_at else incidents.ack_time end as person_answered_at,
      not incidents.is_open and (
        closers.member_id is not null
        or coalesce(
          incidents.close_type = 'auto_recovered'
          and list_has_any(
            (select list(lower(value)) from config_automation where kind = 'integration'),
            [cast(incidents.integration_id as varchar), lower(incidents.integration_type)]
          ),
          false
        )
      ) as is_resolved_by_automation,
      incidents.close_type = 'manual' and closers.member_id is null as is_closed_by_person
    from incidents
    left join answers using (account_id, incident_id)
    left join automation_members as closers
      on closers.account_id = incidents.account_id and closers.member_id = incidents.closer_id
  ),
  final as (
    select
      account_id,
      incident_id,
      answered_at,
      person_answered_at,
      is_acknowledged_by_automation,
      is_resolved_by_automation,
      was_on_it,
      was_on_it
        and (
          coalesce(is_closed_by_person, false)
          or coalesce(person_answered_at >= coalesce(answered_at, person_answered_at), false)
        ) as is_handed_to_people
    from judged
    where was_on_it or is_resolved_by_automation
  )
select * from final
