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
  final as (
    select * from pages_within()
  )
select * from final
