-- Aggregate of pages: pages at night divided by the number of people paged, with one decimal.
-- columns:
-- band: parameter: band of each page, see page_starts
-- person_id: parameter: person of each page, or null to leave out the person
create or replace macro night_pages_each(band, person_id) as
  round(count(*) filter (band = 'sleep') / nullif(count(distinct person_id), 0), 1)
