-- How durations changed from one period to the next, for each of several series: ranks within pairs of weeks at the
-- same place of both periods, t over the weeks. Within a pair the share of cases in which one of now is longer than one
-- of before is compared with a half, weighted by n·m/(n+m); its spread over the pairs is the error, so that weeks,
-- which vary more than incidents do, are what is counted. p is that of this or of the stratified rank test, whichever
-- is larger. Both periods must have been watched equally long after their ends; what was open then is longer than
-- everything that was seen. The ratio is that of the medians, with what was open counted so, or of those that
-- of_medians has: a figure that follows another rule, of closed incidents alone, say, is held against what it was by
-- the same rule, and changed only where the ranks go the same way. Source: Wilcoxon and van Elteren 1960, Bull. ISI 37,
-- 351-361; Lehmann, Nonparametrics, section 3.3.
-- rule: Change of a time: ranks within pairs of weeks, with t over the weeks, where what was open is longer than all,
--   and the ratio of the medians, both by the rule of the figure; below 8 incidents a side nothing is said.
-- columns:
-- of_observations: parameter: name of the relation of the durations, with the columns of no_observations
-- of_medians: parameter: name of the relation of such medians, with the columns of no_medians
-- series: which of them
-- n: durations of the period, open ones included
-- n_before: durations of the period before
-- pairs: weeks that hold durations of both periods
-- median_s: median of the period, seconds; null when half are open, or as of_medians has it
-- median_before_s: median of the period before, judged after as long, or as of_medians has it
-- ratio: median over median before; null when either is not known or the one before is 0
-- ratio_low: lower end of its 95 % interval, from the ratios of the pairs
-- ratio_high: upper end of its 95 % interval
-- p: how likely ranks differ so much, or more, by chance
-- verdict: `shorter` or `longer`, each also `possibly`, `about the same` or `no clear change`, see change_verdict;
--   `nothing to compare with` (none on a side), `too few to compare` (below 8), `too short to compare` (below 3 pairs)
create or replace macro duration_changes(of_observations := 'no_observations', of_medians := 'no_medians') as table
with
  observations as (select * from query_table(of_observations)),
  given_medians as (
    select series, median_s as given_s, median_before_s as given_before_s, true as is_given from query_table(of_medians)
  ),
  tied as (
    select
      series,
      place,
      seconds,
      cast(coalesce(sum(coalesce(n, 1)) filter (is_now), 0) as bigint) as now,
      cast(coalesce(sum(coalesce(n, 1)) filter (not is_now), 0) as bigint) as before
    from observations
    group by all
  ),
  ranked as (
    select
      *,
      sum(before) over (partition by series, place order by seconds rows unbounded preceding)
        - before / 2 as before_below
    from tied
  ),
  -- How many there are up to each: of a week, and (place is null) of all.
  reached as (
    select
      series,
      place,
      seconds,
      sum(sum(now)) over upwards as now,
      sum(sum(before)) over upwards as before,
      nullif(sum(sum(now)) over whole, 0) as n,
      nullif(sum(sum(before)) over whole, 0) as n_before
    from tied
    group by grouping sets ((series, seconds), (series, place, seconds))
    window whole as (partition by series, place), upwards as (whole order by seconds rows unbounded preceding)
  ),
  -- A name of its own: older versions of DuckDB mix it up with those of whoever calls this.
  place_medians as (
    select
      series,
      place,
      counted_quantile(least(seconds, 1e12), now, n, 0.5e0) as now,
      counted_quantile(least(seconds, 1e12), before, n_before, 0.5e0) as before
    from reached
    group by series, place, n, n_before
  ),
  pairs as (
    select
      series,
      place,
      sum(now) as n,
      sum(before) as m,
      sum(now * before_below) as u,
      sum(pow(now + before, 3) - (now + before)) as ties
    from ranked
    group by series, place
    having sum(now) > 0 and sum(before) > 0
  ),
  weighted as (
    select
      pairs.*,
      n * m / (n + m) as weight,
      u / (n * m) - 0.5 as shift,
      case
        when place_medians.now > 0
          and place_medians.before > 0
          and greatest(place_medians.now, place_medians.before) < 1e12
          then ln(place_medians.now / place_medians.before)
      end as log_ratio
    from pairs join place_medians using (series, place)
  ),
  tested as (
    select
      series,
      count(*) as pairs,
      sum(weight * shift) / sum(weight) as shift,
      (sum(weight * shift * shift) / sum(weight) - pow(sum(weight * shift) / sum(weight), 2)) as spread,
      pow(sum(weight), 2) / sum(weight * weight) - 1 as df,
      sum((u - n * m / 2) / (n + m + 1)) / nullif(sqrt(sum(
        n * m / (12 * (n + m + 1)) * (1 - ties / (pow(n + m, 3) - (n + m)))
      )), 0) as z,
      (sum(weight * log_ratio * log_ratio) / sum(weight) filter (log_ratio is not null)
        - pow(sum(weight * log_ratio) / sum(weight) filter (log_ratio is not null), 2)) as log_spread,
      pow(sum(weight) filter (log_ratio is not null), 2)
        / sum(weight * weight) filter (log_ratio is not null) - 1 as log_df
    from weighted
    group by series
  ),
  counted as (
    select series, cast(sum(now) as bigint) as n, cast(sum(before) as bigint) as n_before from tied group by series
  ),
  compared as (
    select
      counted.*,
      coalesce(tested.pairs, 0) as pairs,
      case
        when is_given then given_s
        when place_medians.now < 1e12 then place_medians.now
      end as median_s,
      case
        when is_given then given_before_s
        when place_medians.before < 1e12 then place_medians.before
      end as median_before_s,
      median_s / nullif(median_before_s, 0) as ratio,
      t95(round(log_df, 6)) * sqrt(greatest(0, log_spread) / log_df) as log_error,
      tested.shift,
      case
        when tested.pairs > 0
          then coalesce(
            greatest(
              student_p(shift / nullif(round(sqrt(greatest(0, spread) / df), 12), 0), round(df, 6)),
              normal_p(z)
            ),
            1
          )
      end as p
    from counted
    left join tested using (series)
    left join place_medians on place_medians.series = counted.series and place_medians.place is null
    left join given_medians on given_medians.series = counted.series
  ),
  directed as (
    select
      compared.*,
      ratio * exp(-log_error) as ratio_low,
      ratio * exp(log_error) as ratio_high,
      case
        -- Ranks may be sure where the medians, whose ratio is shown, are not.
        when ratio_low < 1 and ratio_high > 1 then 0
        when shift < 0 and (median_before_s is null or median_s < median_before_s) then -1
        when shift > 0 and (median_s is null or median_s > median_before_s) then 1
        else 0
      end as direction
    from compared
  ),
  final as (
    select
      series,
      n,
      n_before,
      pairs,
      median_s,
      median_before_s,
      ratio,
      ratio_low,
      ratio_high,
      p,
      case
        when least(n, n_before) = 0 then 'nothing to compare with'
        when least(n, n_before) < 8 then 'too few to compare'
        when pairs < 3 then 'too short to compare'
        else change_verdict(
          p, direction, ratio_low > 1 or ratio_high < 1, ratio_low >= 0.75 and ratio_high <= 4 / 3, 'shorter', 'longer'
        )
      end as verdict
    from directed
  )
select * from final
