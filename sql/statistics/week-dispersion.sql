-- Variance of a weighted sum of weeks, relative to independent weeks with a variance of 1. The result is a struct of
-- `phi` (the relative variance), `df` (its degrees of freedom) and `lag` (the correlation of consecutive weeks, 0 to
-- 0.95). Weeks are autocorrelated. The residuals show how much, and the effect of autocorrelation on the sum is
-- included, even between two periods. Every test of a change uses this variance, see count_dispersion,
-- share_dispersion, duration_changes and count_trend. The correlation of few weeks is biased low, which Kendall's
-- correction removes. Null if there are no degrees of freedom. Source: Kendall 1954, Biometrika 41, 403-404; Bayley and
-- Hammersley 1946, J. R. Stat. Soc. Suppl. 8, 184-197.
-- columns:
-- residuals: for each known week in order of time, the difference from its fit over its standard error
-- weights: for each week in order of time, its weight in the sum
-- fitted: number of parameters fitted to the residuals
create or replace macro week_dispersion(residuals, weights, fitted) as
  list_transform(
    list_transform(
      list_transform(
        [{'residuals': residuals, 'weights': weights, 'fitted': fitted}],
        lambda given: {
          'weights': given.weights,
          'df': len(given.residuals) - given.fitted,
          'n': len(given.residuals),
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
