-- Assignments of people to incidents that were not muted: a proxy for pages, since the service does not tell who was
-- paged. The same person within 60 s is one page, across incidents too: an assignment opens a new page when the person
-- had none in the 60 s before it. The service does not tell a person's zone either: the band is taken in the one that
-- the configuration knows (table config_person_zones), else the account's, else UTC.
-- columns:
-- see page_starts: account_id, member_name, incident_severity, channel_name, team_name, time_zone, band
-- see person_assignments: person_id
-- paged_at: first assignment of the page
-- incident_id: incident of the first assignment
-- dimensions: of the incident of the first assignment, see incident_times
-- acknowledged_at: this person's first acknowledgement of any of its incidents; null if none
-- assignments: assignments that count as this one page
-- incidents: different incidents among them
create or replace macro pages_within(period_from := null, period_to := null) as table
with
  incident_times as (select * from incident_times),
  person_assignments as (select * from person_assignments),
  page_starts as (select * from page_starts(period_from := period_from)),
  -- An assignment belongs to the page of its person that began last.
  gathered as (
    select
      page_starts.account_id,
      page_starts.person_id,
      page_starts.paged_at,
      person_assignments.incident_id,
      person_assignments.acknowledged_at
    from person_assignments
    join incident_times using (account_id, incident_id)
    asof join page_starts
      on person_assignments.account_id = page_starts.account_id
      and person_assignments.person_id = page_starts.person_id
      and person_assignments.assigned_at >= page_starts.paged_at
    where not incident_times.is_muted
      and is_within(person_assignments.assigned_at, period_from, null)
  ),
  pages as (
    select
      account_id,
      person_id,
      paged_at,
      min(acknowledged_at) as acknowledged_at,
      count(*) as assignments,
      count(distinct incident_id) as incidents
    from gathered
    where is_within(paged_at, null, period_to)
    group by account_id, person_id, paged_at
  ),
  final as (
    select * from page_starts join pages using (account_id, person_id, paged_at)
  )
select * from final
