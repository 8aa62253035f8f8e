-- What is said of the changes since an event, as codes. Sure where they are held against other teams, shifted (see
-- change_certainty), and stepped beside a line through all weeks too (p below 4 %): a trend alone makes that of one in
-- fifty at most. Without other teams nothing is ever sure: a season, a trend, or whatever came to all, would look the
-- same.
-- rule: Since an event: weeks before and since, held against teams that it did not touch; sure at 99 % where it is a
--   step and no line that goes on. Without such teams it is said what changed since, and nothing of why. What was not
--   over then counts too, as longer than all that is seen.
-- columns:
-- of_changes: parameter: name of the relation of the changes, with the columns of no_event_changes
-- see event_times: series, n, n_before, is_few, value, value_before, has_control, ratio, ratio_low, ratio_high
-- see week_steps: weeks, weeks_before, shift, shift_p, step, step_p, trend, trend_p
-- direction: -1 or 1; 0 where the weeks and the ratio go different ways
-- certainty: how sure the shift is, see change_certainty
-- is_small: all of the interval of the ratio is small, see change_verdict
-- could_show: the smallest part more, or that many times less, that would have been possible at least in four of five
--   such stretches
-- code: `none` (none to compare with), `few` (is_few), `short` (below 3 weeks on a side), `sure`, `possible`, `trend`
--   (it went that way in the weeks before), `since` (nothing to hold it against), `small` or `unclear`
create or replace macro event_verdicts(of_changes := 'no_event_changes') as table
with
  event_directions as (
    select
      *,
      case
        when shift < 0 and coalesce(ratio < 1, value_before is null) then -1
        when shift > 0 and coalesce(ratio > 1, value is null) then 1
        else 0
      end as direction
    from query_table(of_changes)
  ),
  final as (
    select
      *,
      change_certainty(shift_p, direction, coalesce(ratio_low > 1 or ratio_high < 1, false)) as certainty,
      coalesce(ratio_low >= 0.75 and ratio_high <= 4 / 3, false) as is_small,
      pow(ratio_high / nullif(ratio_low, 0), 0.5 * 2.8 / z95()) - 1 as could_show,
      case
        when n_before = 0 or value is null and n = 0 then 'none'
        when is_few then 'few'
        when coalesce(least(weeks, weeks_before), 0) < 3 then 'short'
        when certainty > 0 and trend_p < 0.05 and sign(trend) = direction
          and not (has_control and coalesce(step_p < 0.01 and sign(step) = direction, false)) then 'trend'
        when certainty > 0 and not has_control then 'since'
        when certainty >= 0.99 and step_p < 0.04 and sign(step) = direction then 'sure'
        when certainty > 0 then 'possible'
        when is_small then 'small'
        else 'unclear'
      end as code
    from event_directions
  )
select * from final
