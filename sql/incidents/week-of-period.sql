-- Week of a period that includes a time, counted from 0, in weeks of 7 × 24 hours from its start. A remainder of less
-- than four days belongs to the week before. Months of 28 and of 31 days therefore have four weeks.
-- rule: Change: both periods are measured with the same follow-up time after they ended. Periods shorter than 3 weeks
--   are not compared. A remainder of 4 days or more counts as a week.
-- columns:
-- moment: a time in the period
-- period_from: first moment of the period
-- period_to: first moment after the period
create or replace macro week_of_period(moment, period_from, period_to) as
  cast(greatest(0, least(
    floor((epoch(moment) - epoch(period_from)) / 604800),
    floor((round((epoch(period_to) - epoch(period_from)) / 86400) + 3) / 7) - 1
  )) as bigint)
