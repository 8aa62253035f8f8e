-- Intervals, changes and verdicts of figures on cards and in prose. The engine provides `figures`, with a row per
-- figure and period:
-- figure: name. Others: period, measure (`duration`, `share` or `count`), value (as shown) and n (denominator of a
--   share)
-- Each figure can have samples, from macros of the same names. Missing samples are null.
-- times_of: durations of the figure, see times
-- earlier_times_of: durations of the weeks before both periods, or null if unknown
-- weeks_of: counts by week of the period, or null for those of all incidents. A count that differs from the sum of its
--   weeks is not compared
-- earlier_weeks_of: counts by week before both periods. Null means unknown, or those of all incidents as for weeks_of
-- share_weeks_of: hits and trials by week, with the same follow-up time. Null is not compared
-- earlier_share_weeks_of: hits and trials by week before both periods, or null if unknown
-- interval_of: 95% CI of a figure that is not the median of its sample, or null to compute it. The previous value must
--   follow the same rule with the same follow-up time, see resolve_times
-- The engine also provides `judged_figures`: figures-durations, figures-shares and figures-counts, as far as the report
-- has such figures.
-- The result has one row per figure of the current period:
-- n: number of durations, including open ones if it has interval_of
-- low, high: 95% CI of a share, or of a duration that is the median of its sample
-- moved: change from the previous period, as a difference for a share, else as a ratio minus 1 (for counts per day)
-- moved_low, moved_high: its 95% CI
-- moved_s: difference in seconds, for durations
-- before: previous value of a duration or share, by the same rule and with the same follow-up time
-- verdict: result of the change, see change_verdict, or why it is not compared
-- is_judged: the figure is compared. Otherwise the columns from here on are null
-- p: p value. certainty: see change_certainty. direction: -1, 0 or 1
-- is_small: the whole CI is small
-- lag: correlation of consecutive weeks, see week_dispersion
-- could_show: detectable change (p below 5% in four of five such periods), as a difference for a share, else as a ratio
--   minus 1. For example, 0.4 is a factor of 1.4 up or down
-- moved_at_mix: moved at the severity mix of the previous period, for durations
-- parts: severities with 8 or more in both periods. parts_less, parts_more: those that changed by themselves
-- mix: `mix` if less than half of a change remains at the same mix, `reversed` if it goes the other way then, `hidden`
--   if all severities changed the same way and the total did not
with
  judged_all as (
    select
      null::double as n,
      null::struct(low double, high double) as interval,
      null::double as moved_s,
      null::double as stood_before,
      null::integer as ranked,
      null::double as moved_at_mix,
      null::bigint as parts,
      null::bigint as parts_less,
      null::bigint as parts_more
    where false
    union all by name
    from judged_figures
  ),
  told as (
    select
      * replace (coalesce(reason, if(weeks < 3, 'too short to compare', null)) as reason),
      if(measure = 'share', 0, 1) as none,
      coalesce(ranked, sign(change.estimate - none))::integer as direction,
      reason is null and not coalesce(weeks < 3, false) as is_judged,
      -- A CI that denies the verdict, because it comes from another test, is not shown.
      coalesce((change.low > none or change.high < none) = (change.certainty > 0), true) as has_interval,
      -- Half of the CI is 1.96 standard errors. A change of 2.8 standard errors is found with a power of 80%.
      if(
        measure = 'share',
        (change.high - change.low) / 2 * 2.8 / z95(),
        pow(change.high / nullif(change.low, 0), 0.5 * 2.8 / z95()) - 1
      ) as could_show
    from judged_all
    cross join (
      select min(weeks) as weeks
      from (select count(*) as weeks from scoped_places where period <> 'earlier' group by period)
    ) as lengths
  )
select
  figure,
  case when measure = 'duration' then coalesce(n, 0) end as n,
  interval.low,
  interval.high,
  -- Rounded, because the last digits of a sum depend on the order in which rows are stored.
  round(change.estimate - none, 12) as moved,
  -- Growth from 0 has no ratio, and an infinite CI has no information.
  case
    when has_interval and not (isinf(change.high) and (measure = 'duration' or isinf(change.estimate)))
      then round(change.low - none, 12)
  end as moved_low,
  case when has_interval and not (isinf(change.high) and measure = 'duration') then round(change.high - none, 12) end
    as moved_high,
  moved_s,
  stood_before as before,
  is_judged,
  -- Both periods are 0.
  coalesce(reason, change.verdict, 'about the same') as verdict,
  case when is_judged then round(change.p, 12) end as p,
  case when is_judged then coalesce(change.certainty, 0) end as certainty,
  case when is_judged then coalesce(direction, 0) end as direction,
  case when is_judged then coalesce(change.is_small, measure = 'count') end as is_small,
  case when is_judged then round(lag, 9) end as lag,
  case when is_judged and not isinf(could_show) then round(could_show, 9) end as could_show,
  case when is_judged then round(moved_at_mix, 9) end as moved_at_mix,
  case when is_judged then parts end as parts,
  case when is_judged then parts_less end as parts_less,
  case when is_judged then parts_more end as parts_more,
  case
    when not is_judged or moved_at_mix is null then null
    when change.certainty > 0 and direction * moved_at_mix < 0 then 'reversed'
    when change.certainty > 0 and abs(ln(1 + moved_at_mix)) < 0.5 * abs(ln(change.estimate)) then 'mix'
    when change.certainty = 0 and greatest(parts_less, parts_more) = parts then 'hidden'
  end as mix
from told
