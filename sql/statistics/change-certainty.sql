-- Certainty of a change. It is 0.99 if p is below 1% and the 95% CI excludes “no change”. It is 0.95 if p is below 1%
-- but the CI includes “no change”, or if p is below 5% and the CI excludes it. Otherwise, or if the test and the
-- estimate contradict each other, it is 0. The CI of a ratio of medians alone excludes “no change” too often in
-- stationary series of whole minutes or with two modes.
-- columns:
-- p: p value of the test
-- direction: sign of the change, -1 or 1, or 0 if the test and the estimate contradict each other
-- is_off: the 95% CI excludes “no change”
create or replace macro change_certainty(p, direction, is_off) as
  case
    when coalesce(direction, 0) = 0 then 0e0
    when p < 0.01 and is_off then 0.99e0
    when p < 0.01 or (p < 0.05 and is_off) then 0.95e0
    else 0e0
  end
