-- A limit of the configuration (table config_thresholds), or the fallback where it has none.
-- columns:
-- threshold_name: its name
-- fallback: what holds without it
create or replace macro threshold(threshold_name, fallback) as
  coalesce((select max(value) from config_thresholds where name = threshold_name), fallback)
