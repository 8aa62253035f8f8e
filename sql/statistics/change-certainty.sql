-- How sure a change is: 0.99 where 99 % speak for it and the 95 % interval leaves no change out; 0.95 where the test is
-- as sure but not the interval, or both speak for it at 95 % (the interval of a ratio of medians alone is off in too
-- many stationary series of whole minutes, or with two modes); 0 where neither, or what speaks for it contradicts
-- itself.
-- columns:
-- p: how likely so much, or more, is by chance
-- direction: sign of the change, -1 or 1; 0 where what speaks for it contradicts itself
-- is_off: no change lies outside of the 95 % interval
create or replace macro change_certainty(p, direction, is_off) as
  case
    when coalesce(direction, 0) = 0 then 0e0
    when p < 0.01 and is_off then 0.99e0
    when p < 0.01 or (p < 0.05 and is_off) then 0.95e0
    else 0e0
  end
