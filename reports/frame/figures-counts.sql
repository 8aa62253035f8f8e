-- The columns of judged_figures for counts, one row per figure of the current period. See figures.sql.
with
  all_weeks as (
    select map(list(place), list(n)) as weeks, period
    from (select period, place, count(*) as n from scoped_kept where place is not null group by all)
    group by period
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
  )
select
  now.figure,
  now.measure,
  case
    when now.value is null then 'nothing to compare with'
    when now.value <> dispersions.n or coalesce(before.value, 0) <> dispersions.n_before
      then 'not compared: weekly values are unknown'
  end as reason,
  count_change(
    now.value, dispersions.days, coalesce(before.value, 0), dispersions.days_before, dispersions.dispersion
  ) as change,
  dispersions.dispersion.lag as lag
from figures as now
left join figures as before on before.figure = now.figure and before.period = 'previous'
left join dispersions on dispersions.figure = now.figure
where now.measure = 'count' and now.period = 'current'
