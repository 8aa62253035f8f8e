-- Which incidents belong to a period: those that started in it. Made for each run, gone with it.
-- counted_at: the time by which an incident belongs to a period
create or replace temp view cohort_times as select *, start_time as counted_at from incident_times;
create or replace temp view cohort_incidents as select *, start_time as counted_at from incidents;
