-- What keeps queries of reports short; made for each run, gone with it.

-- The worst severity first; one that nobody knows comes last.
create or replace temp macro severity_rank(severity) as
  coalesce(list_position(['Critical', 'Warning', 'Info', 'Ok'], severity), 5);

-- The ends of a median's 95 % interval, by order statistics at the ranks n/2 ± 1.96·sqrt(n/4); none below 6 values
-- (threshold interval_min_n).
create or replace temp macro median_low(x) as
  case when count(x) >= threshold('interval_min_n', 6) then (list(x order by x) filter (where x is not null))[
    greatest(1, ceil(count(x) * 0.5 - 0.98 * sqrt(count(x))))::bigint] end;
create or replace temp macro median_high(x) as
  case when count(x) >= threshold('interval_min_n', 6) then (list(x order by x) filter (where x is not null))[
    least(count(x), ceil(count(x) * 0.5 + 0.98 * sqrt(count(x))))::bigint] end;

-- Seconds within which an incident has to be acknowledged, by the configuration; null where nothing is asked.
create or replace temp macro ack_target_s(of_severity) as
  (select map(list(severity), list(ack_target_s)) from config_targets)[of_severity];

-- Whether it was. Without a target, and not acknowledged and younger than it, nothing is decided: null, and in no share.
create or replace temp macro is_ack_in_time(of_severity, tta, is_open, age) as
  case
    when ack_target_s(of_severity) is null then null
    when tta is not null then tta <= ack_target_s(of_severity)
    when is_open and age < ack_target_s(of_severity) then null
    else false
  end;
