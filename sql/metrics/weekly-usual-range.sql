-- The usual range (see usual_range) of two weekly figures: `incidents`, how many started, and `median_ln_ttr`, the
-- median of ln(time_to_resolve_s + 1); exp(value) - 1 is seconds. It is drawn from 6 complete weeks on, and a week
-- outside is called unusual from 12 on. Weeks begin on Monday; one that is cut, or was not
-- read completely, counts in no range.
-- question: Is any week unusual?
-- key: measure, week
-- columns:
-- zone: parameter: IANA zone of the weeks
-- measure: `incidents` or `median_ln_ttr`
-- week: Monday
-- is_partial: the week is cut, see incident_counts
-- value: the figure; null in a week without one
-- low: lower end of the usual range; null below 6 weeks, and of fewer than 5 incidents
-- centre: its centre
-- high: its upper end
-- range_by: `mean`, `median` or `count`: what the limits are made of
-- points: complete weeks the range is made of
-- is_unusual: outside the range; null below 12 weeks, and in a week that is cut
create or replace macro weekly_usual_range(
  zone := 'UTC', started_from := null, started_to := null, of_incidents := 'incident_times'
) as table
with
  population as (
    from incidents_in(of_incidents := of_incidents, started_from := started_from, started_to := started_to)
  ),
  counts as (
    select bucket_start as week, is_partial, incidents
    from incident_counts(
      bucket := 'week', zone := zone, started_from := started_from, started_to := started_to,
      of_incidents := of_incidents
    )
    where incident_severity = '(all)'
  ),
  times as (
    select
      cast(date_trunc('week', start_time at time zone zone) as date) as week,
      median(ln(time_to_resolve_s + 1)) as median_ln_ttr
    from population
    group by all
  ),
  weekly as (
    select 'incidents' as measure, week, is_partial, cast(incidents as double) as value
    from counts
    union all
    select 'median_ln_ttr', counts.week, counts.is_partial, times.median_ln_ttr
    from counts
    left join times using (week)
  ),
  ranges as (
    select
      measure,
      usual_range(
        list(value order by week) filter (where not is_partial and value is not null), lowest := 0,
        are_counts := measure = 'incidents'
      ) as usual,
      count(*) filter (not is_partial and value is not null) as points
    from weekly
    group by measure
  ),
  final as (
    select
      measure,
      weekly.week,
      weekly.is_partial,
      weekly.value,
      ranges.usual.low as low,
      ranges.usual.centre as centre,
      ranges.usual.high as high,
      ranges.usual."by" as range_by,
      ranges.points,
      case
        when ranges.usual.is_judged and not weekly.is_partial
          then weekly.value < ranges.usual.low or weekly.value > ranges.usual.high
      end as is_unusual
    from weekly
    join ranges using (measure)
  )
select * from final
