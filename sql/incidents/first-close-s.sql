-- Seconds from the start to the first close: the one that was seen before a reopening (first_closed_at of
-- incident_changes), else the last.
-- columns:
-- time_to_close_s: parameter: seconds to the last close
-- start_time: parameter: the start
-- first_closed_at: parameter: the close before the first reopening; null if none was seen
create or replace macro first_close_s(time_to_close_s, start_time, first_closed_at) as
  case
    when first_closed_at >= start_time and time_to_close_s is not null
      then least(time_to_close_s, epoch(first_closed_at) - epoch(start_time))
    else time_to_close_s
  end
