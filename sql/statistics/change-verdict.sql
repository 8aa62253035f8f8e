-- What is said of a change, in a word: that it is less or more where change_certainty is 0.99, `possibly` so where it
-- is 0.95, `about the same` where what 95 % leave is small, and `no clear change` where it is not.
-- rule: Colour: and arrow where the test at 99 % and the 95 % interval both speak for a change; possibly so where both
--   do at 95 %, or the test alone at 99 %; about the same where all of the interval is small (three quarters to four
--   thirds, 10 points of a share), else no clear change.
-- columns:
-- certainty: change_certainty
-- direction: sign of the change, -1 or 1
-- is_small: the complete 95 % interval is small: of a ratio from 3/4 to 4/3, of a share within 10 points
-- less: the word of a fall
-- more: the word of a rise
create or replace macro change_verdict(certainty, direction, is_small, less, more) as
  case
    when certainty > 0
      then concat(if(certainty < 0.99, 'possibly ', ''), if(direction < 0, less, more))
    when is_small then 'about the same'
    else 'no clear change'
  end
