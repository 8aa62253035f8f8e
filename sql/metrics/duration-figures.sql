-- The figures of durations, a row for each series: mean, quantiles by linear interpolation, and the 95 % intervals of
-- quantile_ranks and mean_limits. Equal durations are counted, not listed: a million incidents have far fewer different
-- times, and no list of them all has to lie in memory.
-- rule: see p90
-- columns:
-- of_durations: parameter: name of the relation of the durations, with the columns of no_durations
-- series: which of them, as given
-- n: durations that are not null
-- mean_s: mean, seconds
-- mean_low_s: lower end of its 95 % interval; null below n = 20
-- mean_high_s: upper end of its 95 % interval; null below n = 20
-- p10_s: 10th percentile, seconds
-- p25_s: 25th percentile, seconds
-- median_s: median, seconds
-- median_low_s: lower end of its 95 % interval; null below n = {max(6, interval_min_n)}
-- median_high_s: upper end of its 95 % interval; null below n = {max(6, interval_min_n)}
-- p75_s: 75th percentile, seconds
-- p90_s: 90th percentile, seconds; null below n = {p90_min_n}
-- p90_low_s: lower end of its 95 % interval; null below n = {max(36, p90_min_n, interval_min_n)}
-- p90_high_s: upper end of its 95 % interval; null below n = {max(36, p90_min_n, interval_min_n)}
-- max_s: longest, seconds
create or replace macro duration_figures(of_durations := 'no_durations') as table
with
  -- Names of its own: older versions of DuckDB mix them up with those of whoever calls this.
  duration_ties as (
    select series, cast(seconds as double) as seconds, cast(sum(coalesce(n, 1)) as bigint) as times
    from query_table(of_durations)
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
  -- Once a series, not once a duration.
  duration_ranks as materialized (
    select *, quantile_ranks(n, 0.5) as median_ranks, quantile_ranks(n, 0.9) as p90_ranks from duration_sums
  ),
  durations_reached as (
    select *, cast(sum(times) over (partition by series order by seconds rows unbounded preceding) as bigint) as reached
    from duration_ties
    where seconds is not null
  ),
  -- The value at a rank, counted from 1, is the first one that as many durations reach.
  durations_ranked as (
    select
      series,
      counted_quantile(seconds, reached, n, 0.1e0) as p10_s,
      counted_quantile(seconds, reached, n, 0.25e0) as p25_s,
      counted_quantile(seconds, reached, n, 0.5e0) as median_s,
      counted_quantile(seconds, reached, n, 0.75e0) as p75_s,
      counted_quantile(seconds, reached, n, 0.9e0) as p90_s,
      min(seconds) filter (reached >= median_ranks.low) as median_low_s,
      min(seconds) filter (reached >= median_ranks.high) as median_high_s,
      min(seconds) filter (reached >= p90_ranks.low) as p90_low_s,
      min(seconds) filter (reached >= p90_ranks.high) as p90_high_s,
      sqrt(sum(times * pow(seconds - mean_s, 2)) / nullif(n - 1, 0)) as deviation,
      sum(times * pow(seconds - mean_s, 3)) / nullif(pow(deviation, 3), 0) * n / nullif((n - 1) * (n - 2), 0) as skew
    from durations_reached
    join duration_ranks using (series)
    group by series, n, mean_s
  ),
  durations_limited as (
    select
      *,
      mean_limits(n, mean_s, deviation, skew, lowest := 0) as mean_limits,
      n >= threshold('interval_min_n', 6) as has_interval,
      n >= threshold('p90_min_n', 10) as has_p90
    from duration_ranks
    left join durations_ranked using (series)
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
    from durations_limited
  )
select * from final
