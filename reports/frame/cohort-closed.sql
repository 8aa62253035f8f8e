-- Incidents belong to the period in which they were closed. Open incidents belong to none. See cohort-started.sql.
create or replace temp view cohort_times as select *, closed_at as counted_at from incident_times
where has_chosen($dimensions::varchar[], dimensions);
create or replace temp view cohort_incidents as
select *, case when progress = 'Closed' then close_time end as counted_at from own_incidents;
