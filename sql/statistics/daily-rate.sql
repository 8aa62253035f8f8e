-- Events per day.
-- columns:
-- weeks: list of weeks, each with its count `n` and its length `days`
create or replace macro daily_rate(weeks) as
  list_sum(list_transform(weeks, lambda week: week.n)) / list_sum(list_transform(weeks, lambda week: week.days))
