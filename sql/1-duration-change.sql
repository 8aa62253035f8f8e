-- How durations changed: the ratio of two geometric means of (seconds + 1), now over before, with its 95 % interval
-- exp(d ± 1.96·sqrt(s1²/n1 + s2²/n2)), as a struct of `estimate`, `low` and `high`. An interval that holds 1 is "no
-- detectable change". Null when either side has fewer than 2 values. Source: the large-sample interval of a difference
-- of means (Welch 1938), taken on logarithms.
-- columns:
-- moments_now: log_moments of the period in question
-- moments_before: log_moments of the period it is compared with
create or replace macro duration_change(moments_now, moments_before) as
  case
    when moments_now.n >= 2 and moments_before.n >= 2 then struct_pack(
      estimate := exp(moments_now.mean - moments_before.mean),
      low := exp(moments_now.mean - moments_before.mean - z95() * sqrt(
        pow(moments_now.sd, 2) / moments_now.n + pow(moments_before.sd, 2) / moments_before.n
      )),
      high := exp(moments_now.mean - moments_before.mean + z95() * sqrt(
        pow(moments_now.sd, 2) / moments_now.n + pow(moments_before.sd, 2) / moments_before.n
      ))
    )
  end
