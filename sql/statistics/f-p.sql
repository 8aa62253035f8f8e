-- p value of Fisher's F, one-sided. Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.6.2 and the
-- series of 26.5.4, on the side where it converges.
-- columns:
-- f: the value, null gives null
-- df1: degrees of freedom of the numerator
-- df2: degrees of freedom of the denominator
create or replace macro f_p(f, df1, df2) as
  list_transform(
    [case when df2 / (df2 + df1 * f) < (df2 + 2) / (df1 + df2 + 4)
      then {'x': df2 / (df2 + df1 * f), 'a': df2 / 2, 'b': df1 / 2, 'is_lower': true}
      else {'x': df1 * f / (df2 + df1 * f), 'a': df1 / 2, 'b': df2 / 2, 'is_lower': false}
    end],
    lambda given: list_transform(
      [case
        when given.x = 0 then 0e0
        else list_sum(list_transform(range(0, 600), lambda k: exp(
          (given.a + k) * ln(given.x) + given.b * ln(1 - given.x)
            + lgamma(given.a + given.b + k) - lgamma(given.a + 1 + k) - lgamma(given.b)
        )))
      end],
      lambda share: case when given.is_lower then least(1e0, share) else greatest(0e0, 1 - share) end
    )[1]
  )[1]
