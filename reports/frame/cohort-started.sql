-- Incidents belong to the period in which they started. Created for each run. The selected dimensions are inserted as
-- text, because a view cannot have parameters.
-- counted_at: time that assigns an incident to a period
create or replace temp view cohort_times as select *, start_time as counted_at from incident_times
where has_chosen($dimensions::varchar[], dimensions);
create or replace temp view cohort_incidents as select *, start_time as counted_at from own_incidents;
