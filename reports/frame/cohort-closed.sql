-- Which incidents belong to a period: those that were closed in it. What is open belongs to none. See
-- cohort-started.sql.
create or replace temp view cohort_times as select *, closed_at as counted_at from incident_times
where has_chosen($dimensions, dimensions);
create or replace temp view cohort_incidents as
select *, case when progress = 'Closed' then close_time end as counted_at from own_incidents;
