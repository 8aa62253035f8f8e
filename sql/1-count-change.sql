-- How a count changed: the ratio of two counts, now over before, with its 95 % interval
-- exp(ln(r) ± 1.96·sqrt(φ·(1/a + 1/b))), as a struct of `estimate`, `low` and `high`. An interval that holds 1 is "no
-- detectable change". Null when either count is 0. Source: the log-normal interval of a rate ratio (Rothman, Modern
-- Epidemiology, 3rd ed., ch. 14), widened by the dispersion φ: incidents come in bursts, and a plain Poisson interval
-- would call every burst a change.
-- columns:
-- count_now: events of the period in question
-- count_before: events of the period it is compared with
-- dispersion: count_dispersion of the weeks; below 1 counts as 1
create or replace macro count_change(count_now, count_before, dispersion) as
  case
    when count_now > 0 and count_before > 0 then struct_pack(
      estimate := count_now / count_before,
      low := count_now / count_before
        * exp(-z95() * sqrt(greatest(1, dispersion) * (1 / count_now + 1 / count_before))),
      high := count_now / count_before
        * exp(z95() * sqrt(greatest(1, dispersion) * (1 / count_now + 1 / count_before)))
    )
  end
