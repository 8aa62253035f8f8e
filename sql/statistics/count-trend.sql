-- Trend of weekly counts, as a struct of `ratio` (factor per four weeks), `low` and `high` (95% CI), `p`, `phi`, `lag`
-- and `events`. It is the slope of a quasi-Poisson regression of the counts on time. Exposure is the length of a week,
-- and the dispersion allows for autocorrelated weeks, see week_dispersion and dispersion_p. `phi` is at least 1. Null
-- below 6 weeks, below 8 events, and if all events are at one end, because the slope is then unbounded. Source:
-- McCullagh and Nelder, Generalized Linear Models, 2nd ed., sections 6.2 and 9.2.
-- rule: Trend: quasi-Poisson regression of weekly counts on time (t test over the weeks). It needs 6 weeks and 8
--   incidents. A trend is “possible” if it is significant at 5%, and clear if it is significant at 1% over all
--   severities of the page.
-- columns:
-- weeks: list of weeks in order of time, each with its count `n` and its length `days`, as in [{'n': 4, 'days': 7}]
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
        -- Given the total, one equation is left. Newton's method solves sum x·n = total · (mean of x weighted by
        -- days·exp(b·x)).
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
