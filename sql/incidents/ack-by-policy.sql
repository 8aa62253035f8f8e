-- The moment that ends the time to acknowledge, by the policy: `exclude` is the acknowledgement, and nothing where
-- nobody acknowledged; `close_counts` takes the close there; `first_action` is the first thing a person did:
-- acknowledged, on the incident or as responder, or closed by hand. Null when it has not happened. Moments can be
-- times, or seconds.
-- rule when ack is exclude: Time to acknowledge: from start to first acknowledgement. Muted and unacknowledged
--   incidents are left out.
-- rule when ack is close_counts: Time to acknowledge: from start to first acknowledgement, else to the close: policy
--   close_counts. Muted incidents, and open ones that nobody acknowledged, are left out.
-- rule when ack is first_action: Time to acknowledge: from start to the first thing a person did: acknowledged, as
--   responder or on the incident, or closed by hand: policy first_action. Muted incidents are left out.
-- columns:
-- policy: `exclude`, `close_counts` or `first_action`
-- ack_at: first acknowledgement of the incident
-- answered_at: first acknowledgement by a responder, see first_answers
-- closed_at: its close
-- closer_id: who closed it; 0 is the system
create or replace macro ack_by_policy(policy, ack_at, answered_at, closed_at, closer_id) as
  case policy
    when 'exclude' then ack_at
    when 'close_counts' then coalesce(ack_at, closed_at)
    when 'first_action' then least(ack_at, answered_at, case when closer_id <> 0 then closed_at end)
  end
