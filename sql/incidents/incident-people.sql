-- Whom incidents were given to, one row for each person of one, and how often they were paged for it: what somebody
-- carries, and no time. A page stands with the incident of its first assignment, see page_starts. Of any incident, so
-- join it with those that count.
-- columns:
-- see person_assignments: account_id, incident_id
-- person_id: the member, no automation
-- pages: pages that began with this incident; 0 of one that was muted
-- night_pages: of them, in the band `sleep` of the person's own day
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
