-- Figures of durations, one row per series: mean, quantiles by linear interpolation, and the 95% CIs of quantile_ranks
-- and mean_limits. If weeks are given, the CIs use the effective sample size (effective_n). Equal durations are
-- counted, not listed, so that the values of a million incidents need not be in memory.
-- rule: see p90
-- columns:
-- of_durations: parameter: name of the relation of durations, with the columns of no_durations
-- series: the series, as given
-- n: number of durations that are not null
-- mean_s: mean in seconds
-- mean_low_s: lower limit of its 95% CI, or null below n = 20
-- mean_high_s: upper limit of its 95% CI, or null below n = 20
-- p10_s: 10th percentile in seconds
-- p25_s: 25th percentile in seconds
-- median_s: median in seconds
-- median_low_s: lower limit of its 95% CI, or null below n = {max(6, interval_min_n)}
-- median_high_s: upper limit of its 95% CI, or null below n = {max(6, interval_min_n)}
-- p75_s: 75th percentile in seconds
-- p90_s: 90th percentile in seconds, or null below n = {p90_min_n}
-- p90_low_s: lower limit of its 95% CI, or null below n = {max(36, p90_min_n, interval_min_n)}
-- p90_high_s: upper limit of its 95% CI, or null below n = {max(36, p90_min_n, interval_min_n)}
-- max_s: longest duration in seconds
create or replace macro duration_figures(of_durations := 'no_durations') as table
with
  no_durations as (select * from no_durations()),
  -- The CTEs have unusual names, because older versions of DuckDB confuse equal names with those of the caller.
  duration_parts as (
    select series, place, cast(seconds as double) as seconds, cast(sum(coalesce(n, 1)) as bigint) as times
    -- The column `place` is optional.
    from ((select null::bigint as place limit 0) union all by name from query_table(of_durations))
    group by all
  ),
  duration_ties as (
    select series, seconds, cast(sum(times) as bigint) as times
    from duration_parts
    where coalesce(place, 0) >= 0
    group by all
  ),
  duration_sums as (
    select
      series,
      cast(coalesce(sum(times) filter (seconds is not null), 0) as bigint) as n,
      sum(seconds * times) / nullif(n, 0) as mean_s,
      max(seconds) as max_s
    from duration_ties
    group by series
  ),
  durations_reached as (
    select *, cast(sum(times) over (partition by series order by seconds rows unbounded preceding) as bigint) as reached
    from duration_ties
    where seconds is not null
  ),
  duration_quantiles as materialized (
    select
      series,
      n,
      mean_s,
      max_s,
      counted_quantile(seconds, reached, n, 0.1e0) as p10_s,
      counted_quantile(seconds, reached, n, 0.25e0) as p25_s,
      counted_quantile(seconds, reached, n, 0.5e0) as median_s,
      counted_quantile(seconds, reached, n, 0.75e0) as p75_s,
      counted_quantile(seconds, reached, n, 0.9e0) as p90_s,
      sqrt(sum(times * pow(seconds - mean_s, 2)) / nullif(n - 1, 0)) as deviation,
      sum(times * pow(seconds - mean_s, 3)) / nullif(pow(deviation, 3), 0) * n / nullif((n - 1) * (n - 2), 0) as skew
    from duration_sums
    left join durations_reached using (series)
    group by series, n, mean_s, max_s
  ),
  -- If weeks are given: number of values below each quantile, and the deviation of their sum from the mean.
  duration_weeks as (
    select
      series,
      place,
      place < 0 as is_earlier,
      cast(sum(times) as double) as n,
      sum(seconds * times) / nullif(any_value(known.deviation), 0) as total,
      cast(sum(times * if(seconds = median_s, 0.5, if(seconds < median_s, 1, 0))) as double) as below_median,
      cast(sum(times * if(seconds = p90_s, 0.5, if(seconds < p90_s, 1, 0))) as double) as below_p90
    from duration_parts
    join duration_quantiles as known using (series)
    where seconds is not null and place is not null
    group by series, place
  ),
  duration_stretches as (
    select
      series,
      is_earlier,
      list({'hits': below_median, 'n': n} order by place) as at_median,
      list({'hits': below_p90, 'n': n} order by place) as at_p90,
      list_transform(
        list({'total': total, 'n': n} order by place),
        lambda week: coalesce((week.total - week.n * sum(total) / sum(n)) / sqrt(avg(n)), 0)
      ) as residuals,
      list(if(is_earlier, 0e0, 1e0)) as weights
    from duration_weeks
    group by series, is_earlier
  ),
  duration_dispersions as (
    select
      series,
      list_transform(
        [list(at_median order by not is_earlier), list(at_p90 order by not is_earlier)],
        lambda stretches: share_dispersion(stretches, of_change := false)
      ) as of_quantiles,
      week_dispersion(
        flatten(list(residuals order by not is_earlier)), flatten(list(weights order by not is_earlier)), count(*)
      ) as of_mean
    from duration_stretches
    group by series
    having not bool_and(is_earlier)
  ),
  -- A macro repeats its argument wherever the parameter occurs, so one list for all three CIs keeps the plan small.
  duration_told as (
    select
      *,
      list_transform(
        [of_quantiles[1], of_quantiles[2], of_mean], lambda dispersion: effective_n(n, dispersion)
      ) as told
    from duration_quantiles
    left join duration_dispersions using (series)
  ),
  -- Computed once per series, not once per duration.
  duration_ranks as materialized (
    select
      *,
      list_transform(
        [{'p': 0.5e0, 'as_of': told[1]}, {'p': 0.9e0, 'as_of': told[2]}],
        lambda asked: quantile_ranks(n, asked.p, as_of := asked.as_of)
      ) as ranks,
      ranks[1] as median_ranks,
      ranks[2] as p90_ranks,
      mean_limits(told[3], mean_s, deviation, skew, lowest := 0) as mean_limits,
      n >= threshold('interval_min_n', 6) as has_interval,
      n >= threshold('p90_min_n', 10) as has_p90
    from duration_told
  ),
  -- The value at a rank is the first one whose cumulative count reaches it.
  durations_limited as (
    select
      series,
      min(seconds) filter (reached >= median_ranks.low) as median_low_s,
      min(seconds) filter (reached >= median_ranks.high) as median_high_s,
      min(seconds) filter (reached >= p90_ranks.low) as p90_low_s,
      min(seconds) filter (reached >= p90_ranks.high) as p90_high_s
    from durations_reached
    join duration_ranks using (series)
    group by series
  ),
  final as (
    select
      series,
      n,
      mean_s,
      mean_limits.low as mean_low_s,
      mean_limits.high as mean_high_s,
      p10_s,
      p25_s,
      median_s,
      case when has_interval then median_low_s end as median_low_s,
      case when has_interval then median_high_s end as median_high_s,
      p75_s,
      case when has_p90 then p90_s end as p90_s,
      case when has_p90 and has_interval then p90_low_s end as p90_low_s,
      case when has_p90 and has_interval then p90_high_s end as p90_high_s,
      max_s
    from duration_ranks
    left join durations_limited using (series)
  )
select * from final
