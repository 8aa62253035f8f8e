-- Incidents of the last shift, one row each. Each incident belongs to exactly one shift, the first whose handover could
-- show it. The shift has the incidents that began after $shift_start, the end of the data of the last delivered
-- handover. It also has earlier incidents that were first read by a later run than the runs of that handover
-- ($shift_runs: `account=run`, null before the first).
-- is_late: it began before $shift_start, and was read too late for the previous handover
with
  contents as (
    select account_id, incident_id, _run_id from incidents
    union all
    select account_id, incident_id, _run_id from incident_versions
  ),
  first_reads as (
    select account_id, incident_id, min(_run_id) as first_run_id
    from contents
    group by account_id, incident_id
  ),
  known_runs as (
    select split_part(pair, '=', 1)::bigint as account_id, split_part(pair, '=', 2)::bigint as known_run_id
    from (select unnest($shift_runs::varchar[]) as pair)
  )
select account_id, incident_id, start_time <= $shift_start::timestamptz as is_late
from scoped_incidents
left join first_reads using (account_id, incident_id)
left join known_runs using (account_id)
where start_time > $shift_start::timestamptz or first_run_id > known_run_id
