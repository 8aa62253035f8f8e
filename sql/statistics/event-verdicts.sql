-- Verdicts on changes since an event, as codes. A change is `sure` only if it is compared with other teams, is
-- significant (see change_certainty), and is also a step in addition to a line through all weeks (p below 4%, which a
-- mere trend reaches at most once in fifty). It is never `sure` if there are no other teams, because a season, a trend
-- or a general change would look the same.
-- rule: Since an event: weeks before and since the event, compared with unaffected teams. A change must be significant
--   at 1% and be a step, not a continuing trend. If there are no unaffected teams, the change is reported without
--   attribution. Incidents that were still open are right-censored.
-- columns:
-- of_changes: parameter: name of the relation of changes, with the columns of no_event_changes
-- see event_times: series, n, n_before, is_few, value, value_before, has_control, ratio, ratio_low, ratio_high
-- see week_steps: weeks, weeks_before, shift, shift_p, step, step_p, trend, trend_p
-- direction: -1 or 1, or 0 if the weeks and the ratio changed in different directions
-- certainty: certainty of the shift, see change_certainty
-- is_small: the whole CI of the ratio is small, see change_verdict
-- could_show: smallest relative change that would be found in four of five such cases (detectable change)
-- code: `none` (nothing to compare), `few` (is_few), `short` (below 3 weeks on a side), `sure`, `possible`, `trend`
--   (the earlier weeks already changed in that direction), `since` (no other teams), `small` or `unclear`
create or replace macro event_verdicts(of_changes := 'no_event_changes') as table
with
  no_event_changes as (select * from no_event_changes()),
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
