-- Assigned people, one row per incident and person, and how often they were paged. It shows load, never times. A page
-- counts for the incident of its first assignment, see page_starts. Join this relation with the incidents to include.
-- columns:
-- see person_assignments: account_id, incident_id
-- person_id: the member, never automation
-- pages: pages that began with this incident, 0 if it was muted
-- night_pages: pages in the band `sleep` of the local time of the person
with
  person_assignments as (select * from person_assignments),
  given as (
    select account_id, incident_id, person_id, 0 as pages, 0 as night_pages from person_assignments
    union all
    select account_id, incident_id, person_id, 1, if(band = 'sleep', 1, 0) from page_starts()
  ),
  final as (
    select
      account_id,
      incident_id,
      person_id,
      cast(sum(pages) as bigint) as pages,
      cast(sum(night_pages) as bigint) as night_pages
    from given
    group by account_id, incident_id, person_id
  )
select * from final
