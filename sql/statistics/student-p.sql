-- Two-sided p value of Student's t. Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and
-- 26.7.4, exact for whole degrees of freedom.
-- columns:
-- t: the value, null gives null
-- df: degrees of freedom, rounded down. Below 1 the result is null
create or replace macro student_p(t, df) as
  list_transform(
    [{'angle': atan(abs(t) / sqrt(floor(df))), 'df': case when df >= 1 then cast(floor(df) as bigint) end}],
    lambda given: case
      when given.df % 2 = 1 and given.angle is not null
        then greatest(0e0, 1 - 2 / pi() * (given.angle + sin(given.angle) * coalesce(list_sum(list_transform(
        range(0, given.df // 2),
        lambda k: exp(lgamma(k + 1) + lgamma(1.5) - lgamma(k + 1.5)) * pow(cos(given.angle), 2 * k + 1)
      )), 0)))
      when given.df % 2 = 0 and given.angle is not null
        then greatest(0e0, 1 - sin(given.angle) * list_sum(list_transform(
        range(0, given.df // 2),
        lambda k: exp(lgamma(k + 0.5) - lgamma(0.5) - lgamma(k + 1)) * pow(cos(given.angle), 2 * k)
      )))
    end
  )[1]
