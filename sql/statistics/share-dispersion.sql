-- How much more a share varies from week to week than independent trials would let it, as a struct of `phi`, Pearson's
-- χ² over its degrees of freedom and at least 1, and `df`, those degrees. Each series varies around its own share;
-- weeks without trials say nothing, nor does a series of nothing but hits, or of none, beside one that varies. Source:
-- McCullagh and Nelder, Generalized Linear Models, 2nd ed., section 4.5.2.
-- columns:
-- series: for each period a list of its weeks: [[{'hits': 4, 'n': 7}, {'hits': 5, 'n': 6}], [{'hits': 1, 'n': 7}]]
create or replace macro share_dispersion(series) as
  list_transform(
    list_transform(
      [list_filter(
        list_transform(
          list_transform(series, lambda weeks: list_filter(weeks, lambda week: week.n > 0)),
          lambda weeks: {
            'weeks': weeks,
            'share': list_sum(list_transform(weeks, lambda week: week.hits))
              / list_sum(list_transform(weeks, lambda week: week.n))
          }
        ),
        lambda one: len(one.weeks) >= 2
      )],
      lambda every: coalesce(nullif(list_filter(every, lambda one: one.share > 0 and one.share < 1), []), every)
    ),
    lambda known: list_reduce(
      list_prepend(
        {'chi': 0e0, 'df': 0::bigint, 'phi': 1e0},
        list_sort(list_transform(
          known,
          lambda one: {
            'chi': coalesce(list_sum(list_transform(one.weeks, lambda week: pow(week.hits - week.n * one.share, 2)
              / nullif(week.n * one.share * (1 - one.share), 0))), 0e0),
            'df': len(one.weeks) - 1,
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
  )[1]
