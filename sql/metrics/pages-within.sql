-- Pages, estimated from assignments of people to incidents that were not muted, because the service does not report who
-- was paged. An assignment starts a new page if the person had no other assignment in the 60 s before, to any incident.
-- The service does not report the zone of a person. The band uses the configured zone (table config_person_zones), else
-- the zone of the account, else UTC.
-- columns:
-- see page_starts: account_id, member_name, incident_severity, channel_name, team_name, time_zone, band
-- see person_assignments: person_id
-- paged_at: first assignment of the page
-- incident_id: incident of the first assignment
-- dimensions: dimensions of the incident of the first assignment, see incident_times
-- acknowledged_at: first acknowledgement of this person for any incident of the page, or null if none
-- assignments: number of assignments in this page
-- incidents: number of incidents in this page
create or replace macro pages_within(period_from := null, period_to := null) as table
with
  incident_times as (select * from incident_times),
  person_assignments as (select * from person_assignments),
  page_starts as (select * from page_starts(period_from := period_from)),
  -- An assignment belongs to the last page of the person that began before it.
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
