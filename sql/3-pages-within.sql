-- The rows of responder_pages of a period.
-- columns:
-- period_from: parameter: first moment of the period; null is the beginning
-- period_to: parameter: first moment after the period; null is as_of
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
create or replace macro pages_within(period_from := null, period_to := null) as table
with
  incident_times as (select * from incident_times),
  incident_responders as (select * from incident_responders),
  page_starts as (select * from page_starts(period_from := period_from)),
  -- An assignment belongs to the page of its person that began last.
  gathered as (
    select
      page_starts.account_id,
      page_starts.person_id,
      page_starts.paged_at,
      incident_responders.incident_id,
      incident_responders.acknowledged_at
    from incident_responders
    join incident_times using (account_id, incident_id)
    asof join page_starts
      on incident_responders.account_id = page_starts.account_id
      and incident_responders.person_id = page_starts.person_id
      and incident_responders.assigned_at >= page_starts.paged_at
    where not incident_times.is_muted
      and incident_responders.person_id <> 0
      and is_within(incident_responders.assigned_at, period_from, null)
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
    select
      account_id,
      person_id,
      page_starts.member_name,
      paged_at,
      pages.acknowledged_at,
      pages.assignments,
      pages.incidents,
      page_starts.incident_id,
      page_starts.incident_severity,
      page_starts.channel_name,
      page_starts.team_name,
      page_starts.time_zone,
      page_starts.band
    from page_starts
    join pages using (account_id, person_id, paged_at)
  )
select * from final
