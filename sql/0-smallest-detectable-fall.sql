-- The smallest fall of a duration that would have shown with 80 % probability: 1 - exp(-2.8·s·sqrt(1/n1 + 1/n2)), with s
-- the pooled standard deviation of ln(seconds + 1). 0.55 means that only a fall of 55 % would have shown. Null when
-- either side has fewer than 2 values. 2.8 is 1.96 + 0.84. Source: Lehr 1992, Stat. Med. 11, 1099-1102.
-- columns:
-- moments_now: log_moments of the period in question
-- moments_before: log_moments of the period it is compared with
create or replace macro smallest_detectable_fall(moments_now, moments_before) as
  case
    when moments_now.n >= 2 and moments_before.n >= 2 then 1 - exp(
      -2.8e0
      * sqrt(
        ((moments_now.n - 1) * pow(moments_now.sd, 2) + (moments_before.n - 1) * pow(moments_before.sd, 2))
        / (moments_now.n + moments_before.n - 2)
      )
      * sqrt(1 / moments_now.n + 1 / moments_before.n)
    )
  end
