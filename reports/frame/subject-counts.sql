-- Counts for the subject of a mail about a report without findings.
-- previous: null if the previous period was not read in full
select
  count(*) filter (period = 'current') as incidents,
  before(count(*) filter (period = 'previous')) as previous
from scoped_incidents
