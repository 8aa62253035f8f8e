-- How much more a count varies from week to week than a Poisson process would let it, as a struct of `phi`, Pearson's
-- χ² over its degrees of freedom and at least 1, and `df`, those degrees. Each series varies around its own rate a day;
-- one of nothing but zeros does not vary. Their order says nothing: the smallest are added up first. Source: McCullagh
-- and Nelder, Generalized Linear Models, 2nd ed., section 6.2.3.
-- columns:
-- series: for each period, and for weeks before them where they are known, a list of its weeks: [[{'n': 4, 'days': 7},
--   {'n': 7, 'days': 7}], [{'n': 1, 'days': 7}]]
create or replace macro count_dispersion(series) as
  list_reduce(
    list_prepend(
      {'chi': 0e0, 'df': 0::bigint, 'phi': 1e0},
      list_sort(list_transform(
        list_filter(series, lambda weeks: len(weeks) >= 2),
        lambda weeks: {
          'chi': coalesce(list_sum(list_transform(weeks, lambda week: pow(week.n - week.days * daily_rate(weeks), 2)
            / nullif(week.days * daily_rate(weeks), 0))), 0e0),
          'df': len(weeks) - 1,
          'phi': 1e0
        }
      ))
    ),
    lambda sum, one: {
      'chi': sum.chi + one.chi,
      'df': sum.df + one.df,
      'phi': greatest(1, (sum.chi + one.chi) / (sum.df + one.df))
    }
  )
