-- Verdict on a change, as text. It is `less` or `more` if change_certainty is 0.99, with `possibly` before it at 0.95.
-- Otherwise it is `about the same` if the whole 95% CI is small, or `no clear change`.
-- rule: Color: shown with an arrow if the change is significant at 1% and the 95% CI excludes “no change”. “Possibly”
--   means significant at 5% while the CI excludes “no change”, or significant at 1% while the CI includes it. “About
--   the same” means the whole CI is within ×0.75–×1.33, or within 10 points for a share. Otherwise “no clear change”.
-- columns:
-- certainty: change_certainty
-- direction: sign of the change, -1 or 1
-- is_small: the whole 95% CI is small, which is 3/4 to 4/3 for a ratio and 10 points for a share
-- less: text for a decrease
-- more: text for an increase
create or replace macro change_verdict(certainty, direction, is_small, less, more) as
  case
    when certainty > 0
      then concat(if(certainty < 0.99, 'possibly ', ''), if(direction < 0, less, more))
    when is_small then 'about the same'
    else 'no clear change'
  end
