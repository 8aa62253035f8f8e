-- What is said of the figures on cards and in prose. The engine gives `figures`, a row for each figure and period:
-- figure: its name;  measure: `duration`, `share` or `count`;  period;  value: as it is shown
-- n: what a share is a share of
-- What stands behind it, each as the macro of its name gives it, null where the report does not say:
-- times_of: the durations behind a duration, see times
-- earlier_times_of: the same of the weeks before both periods;  null does not know
-- weeks_of: of a count, how many in each week of the period;  null takes those of all incidents. A whole number that
--   its weeks do not add up to is no count of them, and compared with nothing
-- earlier_weeks_of: of a count, how many in each of the weeks before both periods;  null does not know, or takes
--   those of all incidents as weeks_of does
-- share_weeks_of: of a share, how many of how many in each week, as they stood when the period is judged;  null
--   compares with nothing
-- earlier_share_weeks_of: the same of the weeks before both periods;  null does not know
-- interval_of: the 95 % interval of a figure that is not the median of its sample;  null works it out. Its value of the
--   previous period has to follow the same rule, as it stood equally long after its end, see resolve_times
-- The engine puts `judged_figures` before this: the rows of figures-durations, figures-shares and figures-counts, of those
-- measures that the report shows.
-- One row for each figure of the current period comes back:
-- n: observations behind a duration, of one with an interval of its own the open ones too
-- low, high: the 95 % interval of a share, or of a duration that is the median of its sample
-- moved: how much more or less than in the previous period: of a share the difference, else the part (of counts: a day)
-- moved_low, moved_high: its 95 % interval;  moved_s: of durations the difference in seconds
-- before: of durations and shares what the figure is compared with: by the same rule, as it stood equally long after
--   its end
-- verdict: what is said of it, see change_verdict, or why nothing is compared
-- is_judged: whether anything is compared
-- What the verdict rests on, null where nothing is compared:
-- p: how likely so much is by chance;  certainty: see change_certainty;  direction: -1, 0 or 1
-- is_small: all of the interval is small
-- lag: how far a week takes after the one before it, see week_dispersion
-- could_show: the smallest change that would have been possible at least (p below 5 %) in four of five such periods: of
--   a share a difference, else a part: 0.4 is 40 % more, or that many times less
-- moved_at_mix: of durations, moved if the severities had the parts they had in the previous period
-- parts: severities with 8 or more on both sides;  parts_less, parts_more: of them those that changed by themselves
-- mix: `mix` where less than half of a change is left at the same mix, `reversed` where it goes the other way then,
--   `hidden` where all severities changed the same way and all together did not
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
      -- Half of the interval is 1.96 standard errors; 80 % see what is 2.8 of them.
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
  -- Rounded: the last digits of a sum go by the order in which rows are stored.
  round(change.estimate - none, 12) as moved,
  -- Growth from none is no part of it, and an interval without ends says nothing.
  round(if(isinf(change.high) and (measure = 'duration' or isinf(change.estimate)), null, change.low - none), 12)
    as moved_low,
  round(if(isinf(change.high) and measure = 'duration', null, change.high - none), 12) as moved_high,
  moved_s,
  stood_before as before,
  is_judged,
  -- None on either side.
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
