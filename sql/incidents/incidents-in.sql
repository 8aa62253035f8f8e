-- Incidents of a relation that started in a period. Every metric starts with it, so every metric has these parameters.
-- columns:
-- of_incidents: parameter: relation to count, with the columns of incident_times. It can be a CTE
-- started_from: parameter: only incidents started then or later, null for all
-- started_to: parameter: only incidents started before, null for all
create or replace macro incidents_in(
  of_incidents := 'incident_times', started_from := null, started_to := null
) as table
with
  final as (
    select * from query_table(of_incidents) where is_within(start_time, started_from, started_to)
  )
select * from final
