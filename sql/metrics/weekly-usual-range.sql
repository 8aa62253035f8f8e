-- Expected range (see usual_range) of two weekly figures, `incidents` (number started) and `median_ln_ttr`, the median
-- of ln(time_to_resolve_s + 1). For seconds use exp(value) - 1. The range needs 6 complete weeks, and weeks are flagged
-- from 12 on. Weeks begin on Monday. Incomplete weeks, and weeks that were not read completely, are excluded from the
-- range.
-- question: Is any week outside its expected range?
-- key: measure, week
-- columns:
-- zone: parameter: IANA zone of the weeks
-- measure: `incidents` or `median_ln_ttr`
-- week: Monday of the week
-- is_partial: the week is incomplete, see incident_counts
-- value: the figure, or null in a week that has none
-- low: lower limit of the expected range, or null below 6 weeks or 5 incidents
-- centre: centre of the expected range
-- high: upper limit of the expected range
-- range_by: `mean`, `median` or `count`, the basis of the limits
-- points: number of complete weeks in the range
-- is_unusual: the value is outside the range. Null below 12 weeks, and for an incomplete week
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
