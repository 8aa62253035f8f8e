-- Seconds from the start to the first close. The first close is the one seen before a reopening (first_closed_at of
-- incident_changes), or the last close if no reopening was seen.
-- columns:
-- time_to_close_s: parameter: seconds to the last close
-- start_time: parameter: start of the incident
-- first_closed_at: parameter: close before the first reopening, or null if no reopening was seen
create or replace macro first_close_s(time_to_close_s, start_time, first_closed_at) as
  case
    when first_closed_at >= start_time and time_to_close_s is not null
      then least(time_to_close_s, epoch(first_closed_at) - epoch(start_time))
    else time_to_close_s
  end
