-- Overdispersion of weekly counts relative to a Poisson process, see week_dispersion. Each period varies around its own
-- daily rate. Periods with only zeros are ignored if another one has events. Source: McCullagh and Nelder, Generalized
-- Linear Models, 2nd ed., section 6.2.3.
-- columns:
-- stretches: list of periods in order of time, each a list of weeks: [[{'n': 4, 'days': 7}, {'n': 7, 'days': 7}], …]
--   The last is the current period and the one before it the previous period. Earlier ones only add to the estimate of
--   the variation
-- of_change: false estimates the dispersion of the last period alone, not of its difference from the previous one
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
