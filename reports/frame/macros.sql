-- What keeps queries of reports short; made for each run, gone with it.

-- A p90 of fewer than 10 values is the largest value under another name, so it is left out.
create or replace temp macro p90(x) as case when count(x) >= 10 then quantile_cont(x, 0.9) end;

-- The worst severity first; one that nobody knows comes last.
create or replace temp macro severity_rank(severity) as
  coalesce(list_position(['Critical', 'Warning', 'Info', 'Ok'], severity), 5);

-- The ends of a median's 95 % interval, by order statistics at the ranks n/2 ± 1.96·sqrt(n/4); none below 6 values.
create or replace temp macro median_low(x) as
  case when count(x) >= 6 then (list(x order by x) filter (where x is not null))[
    greatest(1, ceil(count(x) * 0.5 - 0.98 * sqrt(count(x))))::bigint] end;
create or replace temp macro median_high(x) as
  case when count(x) >= 6 then (list(x order by x) filter (where x is not null))[
    least(count(x), ceil(count(x) * 0.5 + 0.98 * sqrt(count(x))))::bigint] end;

-- Seconds within which an incident has to be acknowledged.
create or replace temp macro ack_target_s(severity) as
  case severity when 'Critical' then 300 when 'Warning' then 900 else 3600 end;

-- Whether it was. Not acknowledged and younger than the target is not decided yet: null, and in no share.
create or replace temp macro is_ack_in_time(severity, tta, is_open, age) as
  case
    when tta is not null then tta <= ack_target_s(severity)
    when is_open and age < ack_target_s(severity) then null
    else false
  end;
