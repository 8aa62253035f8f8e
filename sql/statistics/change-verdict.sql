-- What is said of a change, in a word: that it is less or more where 99 % speak for it, `possibly` so where 95 % do,
-- the test and the interval (that of a ratio of medians alone is off in too many stationary series of whole minutes, or
-- with two modes), `about the same` where what 95 % leave is small, and `no clear change` where it is not.
-- rule: Colour: and arrow where 99 % speak for a change; possibly so where 95 % do; about the same where all of the
--   interval is small (three quarters to four thirds, 10 points of a share), else no clear change.
-- columns:
-- p: how likely so much, or more, is by chance
-- direction: sign of the change, -1 or 1; 0 where what speaks for it contradicts itself
-- is_off: no change lies outside of the 95 % interval
-- is_small: the complete 95 % interval is small: of a ratio from 3/4 to 4/3, of a share within 10 points
-- less: the word of a fall
-- more: the word of a rise
create or replace macro change_verdict(p, direction, is_off, is_small, less, more) as
  case
    when p < 0.01 and direction < 0 then less
    when p < 0.01 and direction > 0 then more
    when p < 0.05 and is_off and direction < 0 then 'possibly ' || less
    when p < 0.05 and is_off and direction > 0 then 'possibly ' || more
    when is_small then 'about the same'
    else 'no clear change'
  end
