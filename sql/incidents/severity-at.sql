-- Severity of an incident at a time, as far as it was seen. This is the last severity before that time, or the first
-- severity. A raise at that exact time does not count, for example a raise that is first seen together with the close.
-- columns:
-- severities: parameter: list of severities, see incident_changes. Null if no change was seen
-- moment: parameter: the time, or null for now
create or replace macro severity_at(severities, moment) as
  list_filter(severities, lambda one: coalesce(one.since_at < moment, true))[-1]
