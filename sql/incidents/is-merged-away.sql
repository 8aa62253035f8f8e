-- Whether an incident was merged into another: closed, created by the system, and no alert is left in it. The service
-- does not say it, so it is inferred; who closed it does not matter. The one it went into is counted in its place.
-- rule: Merged: what the system made, is closed and has no alert left was merged into another incident: that one
--   counts, this one only in the list below.
-- columns:
-- progress: parameter: its progress
-- creator_id: parameter: who created it; 0 is the system
-- alert_cnt: parameter: alerts in it
create or replace macro is_merged_away(progress, creator_id, alert_cnt) as
  (progress = 'Closed' and creator_id = 0 and alert_cnt = 0) is true
