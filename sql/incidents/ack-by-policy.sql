-- Time at which the time to acknowledge ends, by policy. `exclude` uses the acknowledgement only. `close_counts` uses
-- the close if there was no acknowledgement. `first_action` uses the first action of a person: an acknowledgement, on
-- the incident or as a responder, or a manual close. Null if it has not happened. Times can be timestamps or seconds.
-- rule when ack is exclude: Time to acknowledge: from start to first acknowledgement. Muted and unacknowledged
--   incidents are excluded.
-- rule when ack is close_counts: Time to acknowledge: from start to first acknowledgement, or to the close if there was
--   none (policy close_counts). Muted and open unacknowledged incidents are excluded.
-- rule when ack is first_action: Time to acknowledge: from start to the first action of a person, an acknowledgement or
--   a manual close (policy first_action). Acknowledgements as a responder count. Muted incidents are excluded.
-- columns:
-- policy: `exclude`, `close_counts` or `first_action`
-- ack_at: first acknowledgement of the incident
-- answered_at: first acknowledgement by a responder, see first_answers
-- closed_at: close of the incident
-- closer_id: member who closed it, 0 for the system
create or replace macro ack_by_policy(policy, ack_at, answered_at, closed_at, closer_id) as
  case policy
    when 'exclude' then ack_at
    when 'close_counts' then coalesce(ack_at, closed_at)
    when 'first_action' then least(ack_at, answered_at, case when closer_id <> 0 then closed_at end)
  end
