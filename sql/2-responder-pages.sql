-- Assignments of people to incidents that were not muted: a proxy for pages, since the service does not tell who was
-- paged. The same person within 60 s is one page, across incidents too: an assignment opens a new page when the person
-- had none in the 60 s before it. The service does not tell a person's zone either: the band is taken in the account's,
-- and in UTC where that is no known zone. Select a period by paged_at.
-- columns:
-- account_id: account of the member and the incidents
-- person_id: the member assigned
-- member_name: name of the member, or `(unknown)`
-- paged_at: first assignment of the page
-- acknowledged_at: this person's first acknowledgement of any of its incidents; null if none
-- assignments: assignments that count as this one page
-- incidents: different incidents among them
-- incident_id: incident of the first assignment
-- incident_severity: its severity
-- channel_name: its channel
-- team_name: the team that owns its channel
-- time_zone: IANA zone the band is taken in
-- band: `work`, `off` or `sleep`, see hour_band
with
  incident_times as (select * from incident_times),
  incident_responders as (select * from incident_responders),
  members as (select * from members),
  zones as (select name as time_zone from pg_timezone_names()),
  assignments as (
    select
      incident_responders.*,
      row_number() over by_time as place,
      coalesce(epoch(assigned_at) - lag(epoch(assigned_at)) over by_time > 60, true) as is_new
    from incident_responders
    join incident_times using (account_id, incident_id)
    where not incident_times.is_muted and person_id <> 0 and assigned_at is not null
    window by_time as (partition by account_id, person_id order by assigned_at, incident_id, ordinal)
  ),
  numbered as (
    select *, count(*) filter (is_new) over (partition by account_id, person_id order by place) as page
    from assignments
  ),
  pages as (
    select
      account_id,
      person_id,
      min(assigned_at) as paged_at,
      min(acknowledged_at) as acknowledged_at,
      count(*) as assignments,
      count(distinct incident_id) as incidents,
      arg_min(incident_id, place) as incident_id
    from numbered
    group by account_id, person_id, page
  ),
  final as (
    select
      pages.account_id,
      pages.person_id,
      coalesce(nullif(members.member_name, ''), '(unknown)') as member_name,
      pages.paged_at,
      pages.acknowledged_at,
      pages.assignments,
      pages.incidents,
      pages.incident_id,
      incident_times.incident_severity,
      incident_times.channel_name,
      incident_times.team_name,
      coalesce(zones.time_zone, 'UTC') as time_zone,
      hour_band(pages.paged_at at time zone coalesce(zones.time_zone, 'UTC')) as band
    from pages
    join incident_times using (account_id, incident_id)
    left join members on members.account_id = pages.account_id and members.member_id = pages.person_id
    left join zones on zones.time_zone = incident_times.account_time_zone
  )
select * from final
