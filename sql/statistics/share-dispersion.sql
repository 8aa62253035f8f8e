-- How much more shares vary from week to week than independent trials would let them, see week_dispersion. Each stretch
-- varies around its own share; a week counts by its trials, so that a storm of many that all go one way is seen as
-- what it is, or each alike where that says more. Weeks without trials say nothing, nor does a stretch of nothing but
-- hits, or of none, beside one that varies. Source: McCullagh and Nelder, Generalized Linear Models, 2nd ed., section
-- 4.5.2.
-- columns:
-- stretches: in the order of time, of each a list of its weeks: [[{'hits': 4, 'n': 7}, {'hits': 5, 'n': 6}], …]
--   The last is the period in question, the one before it what it is compared with, the others only say how much weeks
--   differ
-- of_change: false speaks of the last stretch alone, not of its difference to the one before it
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
      -- Of a storm in some weeks, and of the quiet ones beside it: whichever says more.
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
