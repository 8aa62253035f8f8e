-- What keeps queries of reports short; made for each run, gone with it.

-- The worst severity first; one that nobody knows comes last.
create or replace temp macro severity_rank(severity) as
  coalesce(list_position(['Critical', 'Warning', 'Info', 'Ok'], severity), 5);

-- The ends of a median's 95 % interval; none below 6 values (threshold interval_min_n).
create or replace temp macro median_low(x) as quantile_interval(x, 0.5).low;
create or replace temp macro median_high(x) as quantile_interval(x, 0.5).high;

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
