-- How counts rise or fall over weeks, as a struct of `ratio`, how many times as many there are four weeks later, `low`
-- and `high`, the ends of its 95 % interval, `p`, `phi`, `lag` and `events`: the slope of a quasi-Poisson regression of
-- the counts on time, with the weeks' lengths as exposure and the dispersion of weeks that hang together; see
-- week_dispersion and dispersion_p, and `phi` is at least 1. Null below 6 weeks, below 8 events, and where all of them
-- lie at one end, so that no slope is
-- steep enough. Source: McCullagh and Nelder, Generalized Linear Models, 2nd ed., sections 6.2 and 9.2.
-- rule: Trend: quasi-Poisson regression of weekly counts on time, t over the weeks; not below 6 weeks or 8 incidents,
--   possibly one where 95 % speak for it, and a finding where 99 % do.
-- columns:
-- weeks: in the order of time, each with its count `n` and its length `days`: [{'n': 4, 'days': 7}, {'n': 7, 'days':
--   7}]
create or replace macro count_trend(weeks) as
  list_transform(
    list_transform(
      list_transform(
        [{
          'weeks': list_transform(range(1, len(weeks) + 1), lambda place: {
            'n': cast(weeks[place].n as double),
            'days': cast(weeks[place].days as double),
            -- In units of four weeks from the middle.
            'x': (place - (len(weeks) + 1) / 2) / 4e0
          }),
          'events': list_sum(list_transform(weeks, lambda week: week.n))
        }],
        -- Given the sum of all counts one equation is left, whose left side only falls:
        -- sum x·n = sum of all · mean of x by days·exp(b·x).
        lambda given: {
          'weeks': given.weeks,
          'events': given.events,
          'slope': case when len(given.weeks) >= 6 and given.events >= 8 then list_reduce(
            list_prepend(0e0, list_transform(range(0, 40), lambda round: 0e0)),
            lambda b, step: b + greatest(-1, least(1, (
              list_sum(list_transform(given.weeks, lambda week: week.x * week.n)) / given.events
                - list_sum(list_transform(given.weeks, lambda week: week.x * week.days * exp(b * week.x)))
                / list_sum(list_transform(given.weeks, lambda week: week.days * exp(b * week.x)))
            ) / greatest(1e-9, (
              list_sum(list_transform(given.weeks, lambda week: week.x * week.x * week.days * exp(b * week.x)))
                / list_sum(list_transform(given.weeks, lambda week: week.days * exp(b * week.x)))
                - pow(list_sum(list_transform(given.weeks, lambda week: week.x * week.days * exp(b * week.x)))
                / list_sum(list_transform(given.weeks, lambda week: week.days * exp(b * week.x))), 2)
            ))))
          ) end
        }
      ),
      lambda given: {
        'slope': given.slope,
        'events': given.events,
        'fitted': list_transform(given.weeks, lambda week: {
          'x': week.x,
          'n': week.n,
          'mu': given.events * week.days * exp(given.slope * week.x)
            / list_sum(list_transform(given.weeks, lambda other: other.days * exp(given.slope * other.x)))
        })
      }
    ),
    lambda given: case when abs(given.slope) < 12 then list_transform(
      list_transform(
        [{
          'middle': list_sum(list_transform(given.fitted, lambda week: week.mu * week.x)) / given.events,
          'error': 1 / sqrt(list_sum(list_transform(given.fitted, lambda week: week.mu * week.x * week.x))
            - pow(list_sum(list_transform(given.fitted, lambda week: week.mu * week.x)), 2) / given.events)
        }],
        lambda fit: {
          'error': fit.error,
          'dispersion': week_dispersion(
            list_transform(given.fitted, lambda week: (week.n - week.mu) / sqrt(week.mu)),
            list_transform(given.fitted, lambda week: (week.x - fit.middle) * sqrt(week.mu)),
            2
          )
        }
      ),
      lambda fit: struct_pack(
        ratio := exp(given.slope),
        low := exp(given.slope - dispersion_z95(fit.dispersion) * fit.error),
        high := exp(given.slope + dispersion_z95(fit.dispersion) * fit.error),
        p := dispersion_p(given.slope / fit.error, fit.dispersion),
        phi := greatest(1e0, fit.dispersion.phi),
        lag := fit.dispersion.lag,
        events := given.events
      )
    )[1] end
  )[1]
