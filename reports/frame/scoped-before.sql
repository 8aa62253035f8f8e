-- Incidents of the weeks before both periods, with fewer columns than scoped_kept. `kept` is the statement of that.
select * exclude (
  num, channel_id, team_id, integration_id, dedup_key, progress, end_time, created_at, closer_id, post_mortem_id,
  close_state, hands_on_s, close_lag_s, detection_lag_s, age_s, is_negative_close, is_negative_recover,
  is_closed_before_ack, is_conflict
)
from kept
