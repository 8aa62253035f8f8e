-- A threshold of the configuration (table config_thresholds), or the fallback if it is not set.
-- columns:
-- threshold_name: name of the threshold
-- fallback: value if it is not set
create or replace macro threshold(threshold_name, fallback) as
  coalesce((select max(value) from config_thresholds where name = threshold_name), fallback)
