-- Overdispersion of weekly shares relative to independent trials, see week_dispersion. Each period varies around its
-- own share. Weeks are weighted by trials or equally, whichever gives the larger phi. Weights by trials detect a large
-- group of equal outcomes. Weeks without trials are ignored. Periods with only hits or no hits are ignored if another
-- one varies. Source: McCullagh and Nelder, Generalized Linear Models, 2nd ed., section 4.5.2.
-- columns:
-- stretches: list of periods in order of time, each a list of weeks: [[{'hits': 4, 'n': 7}, {'hits': 5, 'n': 6}], …]
--   The last is the current period and the one before it the previous period. Earlier ones only add to the estimate of
--   the variation
-- of_change: false estimates the dispersion of the last period alone, not of its difference from the previous one
create or replace macro share_dispersion(stretches, of_change := true) as
  list_transform(
    [list_filter(
      list_transform(range(1, len(stretches) + 1), lambda place: {
        'weeks': list_filter(stretches[place], lambda week: week.n > 0),
        'sign': case len(stretches) - place when 0 then 1 when 1 then if(of_change, -1, 0) else 0 end,
        'n': list_sum(list_transform(stretches[place], lambda week: week.n)),
        'share': list_sum(list_transform(stretches[place], lambda week: week.hits))
          / nullif(list_sum(list_transform(stretches[place], lambda week: week.n)), 0)
      }),
      lambda one: one.share is not null
    )],
    lambda every: list_transform(
      [coalesce(nullif(list_filter(every, lambda one: one.share > 0 and one.share < 1), []), every)],
      -- Keeps the larger phi of weeks weighted by trials and weeks weighted equally.
      lambda known: list_reduce(
        list_transform([true, false], lambda by_trials: week_dispersion(
          flatten(list_transform(known, lambda one: list_transform(one.weeks, lambda week: coalesce(
            (week.hits - week.n * one.share)
              / nullif(sqrt(if(by_trials, one.n / len(one.weeks), week.n) * one.share * (1 - one.share)), 0),
            0
          )))),
          flatten(list_transform(every, lambda one: list_transform(one.weeks, lambda week:
            one.sign / sqrt(one.n * len(one.weeks))
          ))),
          len(known)
        )),
        lambda more, other: if(more.phi >= other.phi, more, other)
      )
    )[1]
  )[1]
