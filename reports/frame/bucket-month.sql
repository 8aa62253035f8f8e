-- Trends of more than a year are drawn by month: the columns `week` hold the first day of one.
create or replace temp macro bucket_of(moment) as date_trunc('month', moment);
create or replace temp macro bucket_step() as interval 1 month;
create or replace temp macro bucket_end(moment) as moment + bucket_step();
