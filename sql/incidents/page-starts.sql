-- Assignments that start a page (see pages_within) in a period. To count pages, this relation is enough, and faster
-- than pages_within.
-- rule: Pages: estimated from assignments of people, because the service does not report who was paged. Assignments of
--   a person within 60 s of the previous one belong to the same page. Whether a page is at night is decided in the time
--   zone of the person.
-- columns:
-- account_id: account of the member and the incidents
-- see person_assignments: person_id, incident_id
-- member_name: name to show for the member, see person_names
-- paged_at: time of the page. Together with account and person it is the key
-- incident_severity: severity of the incident
-- channel_name: channel of the incident
-- team_name: team that owns the channel
-- time_zone: IANA zone that sets the band
-- band: `work`, `off` or `sleep`, see hour_band
-- dimensions: dimensions of the incident, see incident_times
create or replace macro page_starts(period_from := null, period_to := null) as table
with
  incident_times as (select * from incident_times),
  person_assignments as (select * from person_assignments),
  person_names as (select * from person_names),
  config_person_zones as (select * from config_person_zones),
  zones as (select name as time_zone from pg_timezone_names()),
  assignments as (
    select
      person_assignments.account_id,
      person_assignments.person_id,
      person_assignments.incident_id,
      person_assignments.assigned_at,
      incident_times.account_time_zone,
      incident_times.incident_severity,
      incident_times.channel_name,
      incident_times.team_name,
      incident_times.dimensions,
      coalesce(epoch(assigned_at) - lag(epoch(assigned_at)) over by_time > 60, true) as is_new
    from person_assignments
    join incident_times using (account_id, incident_id)
    where not incident_times.is_muted
      and assigned_at is not null
      and is_within(assigned_at, cast(period_from as timestamptz) - interval 60 second, period_to)
    window by_time as (partition by account_id, person_id order by assigned_at, incident_id, ordinal)
  ),
  starts as (
    select * from assignments where is_new and is_within(assigned_at, period_from, period_to)
  ),
  zoned as (
    select
      starts.*,
      coalesce(own_zones.time_zone, zones.time_zone, 'UTC') as time_zone,
      epoch_ms(starts.assigned_at) // 900000 as quarter
    from starts
    left join zones on zones.time_zone = starts.account_time_zone
    left join config_person_zones on config_person_zones.person_id = starts.person_id
    left join zones as own_zones on own_zones.time_zone = config_person_zones.timezone
  ),
  -- Bands are looked up per quarter of an hour, because clocks change only at quarters, bands have full hours, and
  -- there are far fewer quarters than pages.
  quarters as (
    select time_zone, quarter, hour_band(to_timestamp(900 * quarter) at time zone time_zone) as band
    from (select distinct time_zone, quarter from zoned)
  ),
  final as (
    select
      zoned.account_id,
      zoned.person_id,
      coalesce(person_names.person_name, 'person ' || zoned.person_id) as member_name,
      zoned.assigned_at as paged_at,
      zoned.incident_id,
      zoned.incident_severity,
      zoned.channel_name,
      zoned.team_name,
      zoned.time_zone,
      quarters.band,
      zoned.dimensions
    from zoned
    join quarters using (time_zone, quarter)
    left join person_names
      on person_names.account_id = zoned.account_id and person_names.person_id = zoned.person_id
  )
select * from final
