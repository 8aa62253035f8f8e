-- Two-sided p value of a standard normal value. Source: Abramowitz and Stegun, Handbook of Mathematical Functions,
-- 26.2.11. From 6 on, where that series is inexact, the asymptotic expansion 26.2.12 is used.
-- columns:
-- z: the value
create or replace macro normal_p(z) as
  list_transform(
    [abs(z)],
    lambda far: case
      when far < 6 then greatest(0, 1 - 2 * exp(-far * far / 2) / sqrt(2 * pi()) * list_sum(list_transform(
        range(0, 100),
        -- 1·3·5·…·(2k+1) is 2^(k+1)·Γ(k+3/2)/√π.
        lambda k: pow(far, 2 * k + 1) / exp((k + 1) * ln(2) + lgamma(k + 1.5) - ln(pi()) / 2)
      )))
      else 2 * exp(-far * far / 2) / sqrt(2 * pi()) / far
        * (1 - 1 / pow(far, 2) + 3 / pow(far, 4) - 15 / pow(far, 6))
    end
  )[1]
