-- How a share changed: the difference of two shares, now minus before, with its 95 % interval, as a struct of `estimate`,
-- `low` and `high` between -1 and 1. An interval that holds 0 is "no detectable change". Null when either has no trials.
-- Source: Newcombe 1998, Stat. Med. 17, 873-890, method 10, of two Wilson intervals.
-- columns:
-- hits_now: how often it happened in the period in question
-- trials_now: how often it could have happened
-- hits_before: how often it happened in the period it is compared with
-- trials_before: how often it could have happened
-- z: how many standard deviations either side; null is z95
create or replace macro share_change(hits_now, trials_now, hits_before, trials_before, z := null) as
  case
    when trials_now > 0 and trials_before > 0 then struct_pack(
      estimate := hits_now / trials_now - hits_before / trials_before,
      low := hits_now / trials_now - hits_before / trials_before - sqrt(
        pow(hits_now / trials_now - wilson_interval(hits_now, trials_now, z).low, 2)
        + pow(wilson_interval(hits_before, trials_before, z).high - hits_before / trials_before, 2)
      ),
      high := hits_now / trials_now - hits_before / trials_before + sqrt(
        pow(wilson_interval(hits_now, trials_now, z).high - hits_now / trials_now, 2)
        + pow(hits_before / trials_before - wilson_interval(hits_before, trials_before, z).low, 2)
      )
    )
  end
