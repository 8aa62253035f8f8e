-- Seconds that an incident was open. This is the time until its last close, without the time that it was closed before
-- a reopening (closed_s of incident_changes).
-- columns:
-- time_to_close_s: parameter: seconds to the last close
-- closed_s: parameter: seconds it was closed before a reopening, or null if no reopening was seen
create or replace macro open_s(time_to_close_s, closed_s) as
  time_to_close_s - least(time_to_close_s, coalesce(closed_s, 0))
