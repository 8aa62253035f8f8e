-- Assignments of people to incidents that were not muted: a proxy for pages, since the service does not tell who was
-- paged. The same person within 60 s is one page, across incidents too: an assignment opens a new page when the person
-- had none in the 60 s before it. The service does not tell a person's zone either: the band is taken in the one that the
-- configuration knows (table config_person_zones), else the account's, else UTC. Select a period by paged_at.
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
  config_person_zones as (select * from config_person_zones),
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
    select
      *,
      sum(cast(is_new as bigint)) over (
        partition by account_id, person_id order by place rows unbounded preceding
      ) as page
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
  zoned as (
    select
      pages.*,
      incident_times.incident_severity,
      incident_times.channel_name,
      incident_times.team_name,
      coalesce(own_zones.time_zone, zones.time_zone, 'UTC') as time_zone
    from pages
    join incident_times using (account_id, incident_id)
    left join zones on zones.time_zone = incident_times.account_time_zone
    left join config_person_zones on config_person_zones.person_id = pages.person_id
    left join zones as own_zones on own_zones.time_zone = config_person_zones.timezone
  ),
  -- A band holds whole hours, and there are far fewer hours than pages.
  placed as (
    select *, date_trunc('hour', paged_at at time zone time_zone) as local_hour from zoned
  ),
  final as (
    select
      placed.account_id,
      placed.person_id,
      coalesce(nullif(members.member_name, ''), '(unknown)') as member_name,
      placed.paged_at,
      placed.acknowledged_at,
      placed.assignments,
      placed.incidents,
      placed.incident_id,
      placed.incident_severity,
      placed.channel_name,
      placed.team_name,
      placed.time_zone,
      hour_band(placed.local_hour) as band
    from placed
    left join members on members.account_id = placed.account_id and members.member_id = placed.person_id
  )
select * from final
