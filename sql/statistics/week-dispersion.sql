-- How much more a sum over weeks varies than it would if its weeks had nothing to do with each other and a variance of
-- 1, as a struct of `phi`, how many times as much, `df`, the degrees of freedom of that, and `lag`, how far a week
-- takes after the one before it (its correlation, from 0 to 0.95). Weeks hang together: the residuals say by how much,
-- and what a sum of neighbours gains or loses by it is counted, also over the border of two periods. Every change is
-- judged by it, see count_dispersion, share_dispersion, duration_changes and count_trend. The correlation of few weeks
-- reads too low, which Kendall's correction takes back. Null without degrees of freedom. Source: Kendall 1954,
-- Biometrika 41, 403-404; Bayley and Hammersley 1946, J. R. Stat. Soc. Suppl. 8, 184-197.
-- columns:
-- residuals: of each week known, in the order of time, what is left of it beside its fit, over its standard error
-- weights: of each week of the sum, in the order of time, what it counts
-- fitted: how many figures were fitted to the residuals
create or replace macro week_dispersion(residuals, weights, fitted) as
  list_transform(
    list_transform(
      list_transform(
        [{'residuals': residuals, 'weights': weights, 'df': len(residuals) - fitted}],
        lambda given: {
          'weights': given.weights,
          'df': given.df,
          'n': given.df + fitted,
          'squares': list_sum(list_transform(given.residuals, lambda one: one * one)),
          'together': list_sum(list_transform(
            range(1, len(given.residuals)), lambda week: given.residuals[week] * given.residuals[week + 1]
          ))
        }
      ),
      lambda given: {
        'weights': given.weights,
        'df': given.df,
        'variance': given.squares / given.df,
        'lag': least(0.95, greatest(0, coalesce(given.together / nullif(given.squares, 0) * (1 + 4 / given.n), 0)
          + 1 / given.n))
      }
    ),
    lambda given: case when given.df >= 1 then struct_pack(
      phi := given.variance * list_sum(list_transform(range(1, len(given.weights) + 1), lambda week:
        given.weights[week] * list_sum(list_transform(
          range(1, len(given.weights) + 1),
          lambda other: given.weights[other] * pow(given.lag, abs(week - other))
        ))
      )) / list_sum(list_transform(given.weights, lambda weight: weight * weight)),
      df := greatest(1, given.df * (1 - pow(given.lag, 2)) / (1 + pow(given.lag, 2))),
      lag := given.lag
    ) end
  )[1]
