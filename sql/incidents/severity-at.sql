-- Severity of an incident at a time, as far as it was seen. It is the last one before that time, or the first. A raise
-- at that exact time does not count, for example one that is first seen with the close.
-- columns:
-- severities: parameter: list of severities, see incident_changes. Null if no change was seen
-- moment: parameter: the time, or null for now
create or replace macro severity_at(severities, moment) as
  list_filter(severities, lambda one: coalesce(one.since_at < moment, true))[-1]
