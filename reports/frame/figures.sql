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
  observed as (
    select figure as series, period = 'current' as is_now, of.*
    from (
      select figure, period, unnest(times_of) as of from figures where measure = 'duration'
      union all
      select figure, 'previous', unnest(earlier_times_of) from figures where measure = 'duration'
    )
    where period in ('current', 'previous')
  ),
  -- Finished durations. For the CI of a current figure, all earlier weeks add to the estimate of the variation.
  finished as (
    select {'figure': series, 'is_now': true} as series, if(is_now, place, place - 1000) as place, seconds, n
    from observed
    where not is_open
    union all
    select {'figure': series, 'is_now': false}, null, seconds, n
    from observed
    where not is_open and not is_now and place >= 0
  ),
  samples as (
    select
      series.figure as figure,
      series.is_now as is_now,
      n as observations,
      median_s as median,
      if(median_low_s is not null, {'low': median_low_s, 'high': median_high_s}, null) as median_interval
    from duration_figures(of_durations := 'finished')
  ),
  -- Both periods by the rule of the figure: finished incidents, or its own value if it has interval_of.
  medians as (
    select
      now.figure as series,
      if(now.interval_of is null, samples.median, now.value) as median_s,
      if(now.interval_of is null, samples_before.median, before.value) as median_before_s
    from figures as now
    left join figures as before on before.figure = now.figure and before.period = 'previous'
    left join samples on samples.figure = now.figure and samples.is_now
    left join samples as samples_before on samples_before.figure = now.figure and not samples_before.is_now
    where now.measure = 'duration' and now.period = 'current'
  ),
  changed as (
    select changes.* exclude (series), series as figure, mix.* exclude (series)
    from duration_changes(of_observations := 'observed', of_medians := 'medians') as changes
    left join duration_mix(of_observations := 'observed') as mix using (series)
  ),
  all_weeks as (
    select map(list(place), list(n)) as weeks, period
    from (select period, place, count(*) as n from scoped_kept where place is not null group by all)
    group by period
    union all
    select map(list(place), list(n)), 'earlier'
    from (select judged.place as place, count(*) as n from scoped_earlier group by all)
  ),
  counted as (
    select
      wanted.figure,
      places.period,
      list({
        'n': coalesce(
          if(places.period = 'earlier', wanted.earlier, figures.weeks_of)[places.place],
          all_weeks.weeks[places.place],
          0
        ),
        'days': places.days
      } order by places.place) as weeks,
      sum(places.days) as days
    from scoped_places as places
    cross join (
      select figure, bool_and(weeks_of is null) as is_like_all, any_value(earlier_weeks_of) as earlier
      from figures
      where measure = 'count'
      group by figure
    ) as wanted
    left join figures on figures.figure = wanted.figure and figures.period = places.period
    left join all_weeks on wanted.is_like_all and all_weeks.period = places.period
    where places.period <> 'earlier' or (places.is_read and (wanted.is_like_all or wanted.earlier is not null))
    group by wanted.figure, places.period
  ),
  dispersions as (
    select
      figure,
      -- Earlier weeks without any incident are ignored.
      count_dispersion(
        list(weeks order by period <> 'earlier', period = 'current')
          filter (period <> 'earlier' or daily_rate(weeks) > 0)
      ) as dispersion,
      max(days) filter (period = 'current') as days,
      max(days) filter (period = 'previous') as days_before,
      sum(list_sum(list_transform(weeks, lambda week: week.n))) filter (period = 'current') as n,
      sum(list_sum(list_transform(weeks, lambda week: week.n))) filter (period = 'previous') as n_before
    from counted
    group by figure
  ),
  weekly_shares as (
    select
      figure,
      period,
      list_transform(
        list_sort(map_keys(of.n)), lambda place: {'hits': coalesce(of.hits[place], 0), 'n': of.n[place]}
      ) as weeks
    from (
      select figure, period, share_weeks_of as of from figures where measure = 'share'
      union all
      select figure, 'earlier', earlier_share_weeks_of from figures where measure = 'share' and period = 'previous'
    )
    where of is not null and period in ('earlier', 'previous', 'current')
  ),
  shared as (
    select
      *,
      list_sum(list_transform(weeks, lambda week: week.hits)) as hits,
      list_sum(list_transform(weeks, lambda week: week.n)) as n
    from weekly_shares
  ),
  share_dispersions as (
    select
      figure,
      list_transform(
        [true, false],
        lambda of_change: share_dispersion(
          list(weeks order by period <> 'earlier', period = 'current'), of_change := of_change
        )
      ) as of_both,
      of_both[1] as dispersion,
      of_both[2] as of_now
    from shared
    group by figure
    having bool_or(period = 'current')
  ),
  share_sizes as (
    select figure, effective_n(n, of_now) as n
    from figures
    left join share_dispersions using (figure)
    where measure = 'share' and period = 'current'
  ),
  lengths as (
    select min(weeks) as weeks
    from (select count(*) as weeks from scoped_places where period <> 'earlier' group by period)
  ),
  judged_all as (
    select
      now.figure,
      now.measure,
      abs(samples.median - now.value) <= 1e-9 * greatest(1, now.value) as is_median,
      -- A figure that includes open incidents counts them in n too.
      if(now.interval_of is null or coalesce(is_median, false), samples.observations, changed.n) as n,
      coalesce(now.interval_of, case now.measure
        -- For a mean or a p90, the sample is used for the change only.
        when 'duration' then case when is_median then samples.median_interval end
        when 'share' then wilson_interval(now.value * share_sizes.n, share_sizes.n)
      end) as interval,
      changed.median_s - changed.median_before_s as moved_s,
      case now.measure
        when 'duration' then changed.median_before_s
        when 'share' then share_before.hits / share_before.n
      end as stood_before,
      case
        when now.measure = 'count' and now.value is null then 'nothing to compare with'
        -- The compared medians are not such a figure for a mean or a p90.
        when now.measure = 'duration' and not (now.interval_of is not null or coalesce(is_median, true))
          then 'not compared: only medians are'
        when now.measure = 'count'
          and (now.value <> dispersions.n or coalesce(before.value, 0) <> dispersions.n_before)
          then 'not compared: not known by week'
        when now.measure = 'share' and now.n > 0 and share_dispersions.dispersion is null
          then 'not compared: not known by week'
        -- Same limits as for durations, see duration_changes.
        when now.measure = 'share' and least(coalesce(share_now.n, 0), coalesce(share_before.n, 0)) = 0
          then 'nothing to compare with'
        when now.measure = 'share' and least(share_now.n, share_before.n) < 8 then 'too few to compare'
        when now.measure = 'duration' and changed.verdict is null then 'nothing to compare with'
        when now.measure = 'duration' and (changed.verdict like 'too %' or changed.verdict like 'nothing %')
          then changed.verdict
        when lengths.weeks < 3 then 'too short to compare'
      end as reason,
      case now.measure
        when 'duration' then {
          'estimate': changed.ratio, 'low': changed.ratio_low, 'high': changed.ratio_high, 'p': changed.p,
          'certainty': changed.certainty, 'is_small': changed.is_small,
          'verdict': replace(replace(changed.verdict, 'shorter', 'faster'), 'longer', 'slower')
        }
        when 'count' then count_change(
          now.value, dispersions.days, coalesce(before.value, 0), dispersions.days_before, dispersions.dispersion
        )
        else share_change(
          share_now.hits, share_now.n, share_before.hits, share_before.n, share_dispersions.dispersion
        )
      end as change,
      changed.direction as ranked,
      coalesce(changed.lag, dispersions.dispersion.lag, share_dispersions.dispersion.lag) as lag,
      changed.ratio * changed.at_mix - 1 as moved_at_mix,
      changed.parts,
      changed.parts_less,
      changed.parts_more
    from figures as now
    cross join lengths
    left join figures as before on before.figure = now.figure and before.period = 'previous'
    left join shared as share_now on share_now.figure = now.figure and share_now.period = 'current'
    left join shared as share_before on share_before.figure = now.figure and share_before.period = 'previous'
    left join share_dispersions on share_dispersions.figure = now.figure
    left join share_sizes on share_sizes.figure = now.figure
    left join samples on samples.figure = now.figure and samples.is_now
    left join changed on changed.figure = now.figure
    left join dispersions on dispersions.figure = now.figure
    where now.period = 'current'
  ),
  told as (
    select
      *,
      if(measure = 'share', 0, 1) as none,
      coalesce(ranked, sign(change.estimate - none))::integer as direction,
      reason is null as is_judged,
      -- Half of the CI is 1.96 standard errors. A change of 2.8 standard errors is found with a power of 80%.
      if(
        measure = 'share',
        (change.high - change.low) / 2 * 2.8 / z95(),
        pow(change.high / nullif(change.low, 0), 0.5 * 2.8 / z95()) - 1
      ) as could_show
    from judged_all
  )
select
  figure,
  case when measure = 'duration' then coalesce(n, 0) end as n,
  interval.low,
  interval.high,
  -- Rounded, because the last digits of a sum depend on the order in which rows are stored.
  round(change.estimate - none, 12) as moved,
  -- Growth from 0 has no ratio, and an infinite CI has no information.
  round(if(isinf(change.high) and (measure = 'duration' or isinf(change.estimate)), null, change.low - none), 12)
    as moved_low,
  round(if(isinf(change.high) and measure = 'duration', null, change.high - none), 12) as moved_high,
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
