-- How much more counts vary from week to week than a Poisson process would let them, see week_dispersion. Each stretch
-- varies around its own rate a day; one of nothing but zeros says nothing beside one that varies. Source: McCullagh
-- and Nelder, Generalized Linear Models, 2nd ed., section 6.2.3.
-- columns:
-- stretches: in the order of time, of each a list of its weeks: [[{'n': 4, 'days': 7}, {'n': 7, 'days': 7}], …]
--   The last is the period in question, the one before it what it is compared with, the others only say how much weeks
--   differ
-- of_change: false speaks of the last stretch alone, not of its difference to the one before it
create or replace macro count_dispersion(stretches, of_change := true) as
  list_transform(
    [list_transform(range(1, len(stretches) + 1), lambda place: {
      'weeks': stretches[place],
      'sign': case len(stretches) - place when 0 then 1 when 1 then if(of_change, -1, 0) else 0 end,
      'days': list_sum(list_transform(stretches[place], lambda week: week.days)),
      'rate': daily_rate(stretches[place])
    })],
    lambda every: list_transform(
      [coalesce(
        nullif(list_filter(every, lambda one: one.rate > 0), []), list_filter(every, lambda one: one.days > 0)
      )],
      lambda known: week_dispersion(
        flatten(list_transform(known, lambda one: list_transform(one.weeks, lambda week:
          coalesce((week.n - week.days * one.rate) / nullif(sqrt(week.days * one.rate), 0), 0)
        ))),
        flatten(list_transform(every, lambda one: list_transform(one.weeks, lambda week:
          one.sign * sqrt(week.days) / one.days
        ))),
        len(known)
      )
    )[1]
  )[1]
