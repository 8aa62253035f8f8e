-- In which week of a period a moment lies, counted from 0: weeks of seven times 24 hours from its start. A last piece
-- of under four days belongs to the week before it, so that months of 28 and of 31 days have four each.
-- rule: Change: both periods as they stood equally long after their ends; no verdict below 3 weeks a side, where 4
--   days are a last week.
-- columns:
-- moment: of the period
-- period_from: first moment of the period
-- period_to: first moment after the period
create or replace macro week_of_period(moment, period_from, period_to) as
  cast(greatest(0, least(
    floor((epoch(moment) - epoch(period_from)) / 604800),
    floor((round((epoch(period_to) - epoch(period_from)) / 86400) + 3) / 7) - 1
  )) as bigint)
