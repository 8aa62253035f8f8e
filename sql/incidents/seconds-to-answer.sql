-- Seconds to acknowledge (MTTA) of an incident that was not muted; null where nobody did, or before it started.
-- columns:
-- started_at: its start
-- answer_at: the moment that ends the time, see ack_by_policy
-- is_muted: the service silenced it at some time
create or replace macro seconds_to_answer(started_at, answer_at, is_muted) as
  case when not is_muted and answer_at >= started_at then epoch(answer_at) - epoch(started_at) end
