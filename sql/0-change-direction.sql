-- Which way a change went, for certain: 1 when its 95 % interval lies above "the same", -1 when it lies below, 0 when it holds
-- it or nothing is known.
-- columns:
-- change: what duration_change, count_change or share_change say
-- same: what "the same" is: 1 for a ratio, 0 for a difference
create or replace macro change_direction(change, same) as
  case when change.low > same then 1 when change.high < same then -1 else 0 end
