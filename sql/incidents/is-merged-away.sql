-- Whether an incident was merged into another. Such an incident is closed, was created by the system, and has no
-- alerts, whoever closed it. The service does not report merges, so this is inferred. The other incident is included in
-- its place.
-- rule: Merged: a closed, system-created incident without alerts is treated as merged into another incident. Only the
--   other incident is included. The list below counts merged incidents.
-- columns:
-- progress: parameter: progress of the incident
-- creator_id: parameter: member who created it, 0 for the system
-- alert_cnt: parameter: number of its alerts
create or replace macro is_merged_away(progress, creator_id, alert_cnt) as
  (progress = 'Closed' and creator_id = 0 and alert_cnt = 0) is true
