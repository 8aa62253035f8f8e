-- Trends of up to a year are drawn by week, from Monday.
create or replace temp macro bucket_of(moment) as date_trunc('week', moment);
create or replace temp macro bucket_step() as interval 7 day;
create or replace temp macro bucket_end(moment) as moment + bucket_step();
