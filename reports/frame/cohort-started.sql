-- Which incidents belong to a period: those that started in it. Made for each run, gone with it.
-- What is chosen of dimensions is put in as text, since a view has no parameters.
-- counted_at: the time by which an incident belongs to a period
create or replace temp view cohort_times as select *, start_time as counted_at from incident_times
where has_chosen($dimensions, dimensions);
create or replace temp view cohort_incidents as select *, start_time as counted_at from own_incidents;
