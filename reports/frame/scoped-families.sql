-- Alert families of the titles in or after the current period, see alert_family. Computed once for each title, because
-- titles repeat.
select title, alert_family(title) as family
from (
  select distinct title
  from scoped_kept
  join scoped_details using (account_id, incident_id)
  where period in ('current', 'running') and title <> ''
)
