-- Mean and sample standard deviation of ln(seconds + 1) of a column, over the rows of a group, as a struct of `n`,
-- `mean` and `sd`. Durations are close to log-normal; the + 1 keeps a duration of 0 s in. What duration_change and
-- smallest_detectable_fall compare.
-- columns:
-- seconds: the column, not negative; null is left out
create or replace macro log_moments(seconds) as
  struct_pack(
    n := count(seconds),
    mean := avg(ln(seconds + 1)),
    sd := case when count(seconds) = 1 then 0 else stddev_samp(ln(seconds + 1)) end
  )
