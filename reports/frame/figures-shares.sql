-- The columns of judged_figures for shares, one row per figure of the current period. See figures.sql.
with
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
  )
select
  now.figure,
  now.measure,
  coalesce(now.interval_of, wilson_interval(now.value * share_sizes.n, share_sizes.n)) as interval,
  share_before.hits / share_before.n as stood_before,
  case
    when now.n > 0 and share_dispersions.dispersion is null then 'not compared: weekly values are unknown'
    -- Same limits as for durations, see duration_changes.
    when least(coalesce(share_now.n, 0), coalesce(share_before.n, 0)) = 0 then 'nothing to compare with'
    when least(share_now.n, share_before.n) < 8 then 'too few to compare'
  end as reason,
  share_change(
    share_now.hits, share_now.n, share_before.hits, share_before.n, share_dispersions.dispersion
  ) as change,
  share_dispersions.dispersion.lag as lag
from figures as now
left join shared as share_now on share_now.figure = now.figure and share_now.period = 'current'
left join shared as share_before on share_before.figure = now.figure and share_before.period = 'previous'
left join share_dispersions on share_dispersions.figure = now.figure
left join share_sizes on share_sizes.figure = now.figure
where now.measure = 'share' and now.period = 'current'
