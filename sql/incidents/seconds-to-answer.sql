-- Seconds to acknowledge (MTTA). Null if the incident was muted, not acknowledged, or acknowledged before it started.
-- columns:
-- started_at: start of the incident
-- answer_at: end of the time to acknowledge, see ack_by_policy
-- is_muted: the service muted it at some time
create or replace macro seconds_to_answer(started_at, answer_at, is_muted) as
  case when not is_muted and answer_at >= started_at then epoch(answer_at) - epoch(started_at) end
