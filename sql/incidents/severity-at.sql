-- The severity that was valid at a moment, as far as it was seen: the last one that the incident had before it, or the
-- first; a raise at the moment itself, such as one that the close first shows, was not before it.
-- columns:
-- severities: parameter: those it was seen to have, see incident_changes; null knows none
-- moment: parameter: the time asked about; null is now
create or replace macro severity_at(severities, moment) as
  list_filter(severities, lambda one: coalesce(one.since_at < moment, true))[-1]
