-- Trends of more than a year are drawn by month. The columns `week` then have the first day of a month.
create or replace temp macro bucket_of(moment) as date_trunc('month', moment);
create or replace temp macro bucket_step() as interval 1 month;
create or replace temp macro bucket_end(moment) as moment + bucket_step();
