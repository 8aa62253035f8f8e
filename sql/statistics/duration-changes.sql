-- Change of durations from the previous to the current period, for each of several series. All durations of a series
-- are ranked together, including up to 12 weeks before both periods, and each week counts once with its mean rank. `p`
-- tests the mean of the current weeks against the mean of all earlier weeks, with the error of week_dispersion, and is
-- never below that of independent incidents. A duration that is still open gets the middle of all ranks above its age
-- (the scores of Peto and Prentice), so that a shorter observation does not look faster. Both periods need the same
-- follow-up time after they ended. The ratio compares the medians of both periods, with open durations longer than all
-- others, or the medians of of_medians. These can follow another rule, for example closed incidents only. A change is
-- then reported only if the ranks changed in the same direction. The CI of the ratio comes from the weekly shares below
-- each median, see share_dispersion. If the durations have parts, for example severities, the same test is applied
-- within each part, and the median is also computed at the mix of the previous period, with each part weighted by its
-- share then. Only parts with 8 or more durations in both periods are included, and only series with several such
-- parts. Source: Prentice 1978, Biometrika 65, 167-179; Woodruff 1952, J. Am. Stat. Assoc. 47, 635-646; Zou and Donner
-- 2008, Stat. Med. 27, 1693-1702; Simpson 1951, J. R. Stat. Soc. B 13, 238-241; Kitagawa 1955, J. Am. Stat. Assoc. 50,
-- 1168-1194.
-- rule: Change in a duration: rank test in which each week's mean rank counts once. It uses up to 12 earlier weeks as a
--   baseline, and corrects for autocorrelation. The ratio compares medians. Open incidents are right-censored. Periods
--   with fewer than 8 incidents are not tested.
-- columns:
-- of_observations: parameter: name of the relation of durations, with the columns of no_observations, and optionally
--   `part`
-- of_medians: parameter: name of the relation of medians by another rule, with the columns of no_medians
-- series: the series
-- n: durations in the current period, including open ones
-- n_before: durations in the previous period, including open ones
-- weeks: weeks with durations, in the period that has fewer of them
-- lag: correlation of consecutive weeks, see week_dispersion
-- median_s: median of the current period in seconds, from of_medians if given. Null if half are open
-- median_before_s: median of the previous period with the same follow-up time, from of_medians if given
-- ratio: median_s / median_before_s, or null if one is unknown or the previous is 0
-- ratio_low: lower limit of its 95% CI
-- ratio_high: upper limit of its 95% CI, infinite if open durations leave it open
-- p: p value of the difference in ranks
-- direction: -1 or 1, or 0 if the ranks and the medians changed in different directions
-- certainty: certainty of the change, see change_certainty
-- is_small: the whole CI of the ratio is small, see change_verdict
-- verdict: `shorter` or `longer`, each also with `possibly`, `about the same` or `no clear change`, see change_verdict.
--   If not tested, `nothing to compare with`, `too few to compare` (below 8), `too short to compare` (below 3 weeks)
-- parts: number of parts, or null if there are fewer than two
-- parts_less: number of parts that are shorter or possibly shorter
-- parts_more: number of parts that are longer or possibly longer
-- at_mix: current median at the mix of the previous period, divided by the current median
create or replace macro duration_changes(of_observations := 'no_observations', of_medians := 'no_medians') as table
with
  no_observations as (select * from no_observations()),
  no_medians as (select * from no_medians()),
  mixed as (
    select series, part, is_now, place, seconds, coalesce(is_open, false) as is_open, coalesce(n, 1) as n
    from ((select null::varchar as part limit 0) union all by name from query_table(of_observations))
    where series is not null
  ),
  known_parts as (
    select series, part, sum(n) filter (not is_now) / sum(n) filter (is_now) as weight
    from mixed
    where part is not null and place >= 0
    group by series, part
    having sum(n) filter (is_now) >= 8 and sum(n) filter (not is_now) >= 8
    qualify count(*) over (partition by series) > 1
  ),
  -- The whole series is the part ''.
  observations as (
    select {'of': series, 'part': ''} as series, is_now, place, seconds, is_open, n
    from mixed
    union all
    select {'of': series, 'part': 'part ' || part}, is_now, place, seconds, is_open, n
    from mixed
    semi join known_parts using (series, part)
  ),
  given_medians as (
    select
      {'of': series, 'part': ''} as series,
      median_s as given_s,
      median_before_s as given_before_s,
      true as is_given
    from query_table(of_medians)
  ),
  -- The CTEs have unusual names, because older versions of DuckDB confuse equal names with those of the caller. Stretch
  -- 0 is before both periods.
  tied as materialized (
    select
      series,
      is_now,
      case when is_now then 2 when place >= 0 then 1 else 0 end as stretch,
      place,
      seconds,
      is_open,
      cast(sum(n) as bigint) as n
    from observations
    group by all
  ),
  scored as (
    select *, case when is_now then 2 when place >= 0 then 1 else 0 end as stretch
    from duration_scores(of_observations := 'tied')
  ),
  sides as (
    select
      series,
      stretch = 2 as is_now,
      count(*) as weeks,
      avg(scores / n) as score,
      sum(1 / n) / pow(count(*), 2) as of_incidents
    from scored
    group by all
  ),
  -- The standard error by weeks and the one by incidents. Weeks with fewer incidents vary more.
  ranked as (
    select
      series,
      any_value(now.score) - any_value(past.score) as shift,
      week_dispersion(
        list(scores / scored.n - if(stretch = 2, now.score, past.score) order by stretch, place),
        list(if(stretch = 2, 1 / now.weeks, -1 / past.weeks) order by stretch, place),
        2
      ) as dispersion,
      1 / any_value(now.weeks) + 1 / any_value(past.weeks) as of_weeks,
      any_value(now.of_incidents) + any_value(past.of_incidents) as of_incidents,
      avg(1 / scored.n) as mean_of_incidents,
      greatest(0, sum(squares) / sum(scored.n) - pow(sum(scores) / sum(scored.n), 2)) as variance
    from scored
    join (from sides where is_now) as now using (series)
    join (from sides where not is_now) as past using (series)
    group by series
  ),
  tested as (
    select
      series,
      shift,
      dispersion.lag as lag,
      sqrt(
        dispersion.phi * of_weeks + variance * greatest(0, of_incidents - mean_of_incidents * of_weeks)
      ) as error,
      coalesce(greatest(
        student_p(shift / nullif(round(error, 12), 0), dispersion.df),
        normal_p(shift / nullif(round(sqrt(variance * of_incidents), 12), 0))
      ), 1) as p
    from ranked
  ),
  -- Open durations are longer than all others.
  reached as (
    select
      series,
      stretch,
      seconds,
      sum(sum(times)) over (whole order by seconds rows unbounded preceding) as reached,
      cast(sum(sum(times)) over whole as bigint) as n
    from (
      select series, stretch, if(is_open, cast('infinity' as double), seconds) as seconds, n as times from tied
    )
    group by series, stretch, seconds
    window whole as (partition by series, stretch)
  ),
  middles as (
    select
      series, stretch, n, nullif(counted_quantile(least(seconds, 1e12), reached, n, 0.5e0), 1e12) as middle
    from reached
    group by series, stretch, n
  ),
  below as (
    select
      tied.series as series,
      stretch,
      place,
      {
        'hits': cast(sum(tied.n * case
          when is_open or seconds > middle then 0 when seconds = middle then 0.5 else 1
        end) as double),
        'n': cast(sum(tied.n) as double)
      } as week
    from tied
    join middles using (series, stretch)
    group by tied.series, stretch, place
  ),
  spread as (
    select series, share_dispersion(list(weeks order by stretch)) as dispersion
    from (select series, stretch, list(week order by place) as weeks from below group by series, stretch)
    group by series
    having max(stretch) = 2 and bool_or(stretch = 1)
  ),
  sure as (
    select middles.*, case when dispersion is not null then dispersion_z95(dispersion) * sqrt(n) / 2 end as either_side
    from middles
    left join spread using (series)
  ),
  ends as (
    select
      series,
      stretch,
      sure.n as n,
      middle,
      case
        when either_side is not null then coalesce(min(seconds) filter (reached > sure.n / 2 - either_side), 0)
      end as low,
      case
        when either_side is not null
          then coalesce(min(seconds) filter (reached >= sure.n / 2 + either_side), cast('infinity' as double))
      end as high
    from reached
    join sure using (series, stretch)
    group by series, stretch, sure.n, middle, either_side
  ),
  compared as (
    select
      ends.series as series,
      coalesce(max(n) filter (stretch = 2), 0) as n,
      coalesce(max(n) filter (stretch = 1), 0) as n_before,
      max(if(is_given, given_s, middle)) filter (stretch = 2) as median_s,
      max(if(is_given, given_before_s, middle)) filter (stretch = 1) as median_before_s,
      -- Log distances of the limits from the medians, infinite for a limit of 0 or infinity.
      max(log_ratio(coalesce(middle, given_s), low)) filter (stretch = 2) as now_down,
      max(log_ratio(high, coalesce(middle, given_s))) filter (stretch = 2) as now_up,
      max(log_ratio(coalesce(middle, given_before_s), low)) filter (stretch = 1) as before_down,
      max(log_ratio(high, coalesce(middle, given_before_s))) filter (stretch = 1) as before_up
    from ends
    left join given_medians on given_medians.series = ends.series
    group by ends.series
  ),
  sized as (
    select
      compared.*,
      coalesce(places.weeks, 0) as weeks,
      median_s / nullif(median_before_s, 0) as ratio,
      nullif(ratio, 0) * exp(-sqrt(now_down * now_down + before_up * before_up)) as ratio_low,
      nullif(ratio, 0) * exp(sqrt(now_up * now_up + before_down * before_down)) as ratio_high,
      shift,
      lag,
      p
    from compared
    left join tested using (series)
    left join (
      select series, if(count(*) = 2, min(weeks), 0) as weeks
      from (select series, stretch, count(*) as weeks from scored where stretch > 0 group by series, stretch)
      group by series
    ) as places using (series)
  ),
  directed as (
    select
      *,
      case
        when shift < 0 and (median_before_s is null or median_s < median_before_s) then -1
        when shift > 0 and (median_s is null or median_s > median_before_s) then 1
        else 0
      end as direction
    from sized
  ),
  certain as (
    select
      *,
      change_certainty(p, direction, coalesce(ratio_low > 1 or ratio_high < 1, true)) as certainty,
      coalesce(ratio_low >= 0.75 and ratio_high <= 4 / 3, false) as is_small
    from directed
  ),
  part_changes as (
    select
      series['of'] as series,
      count(*) as parts,
      count(*) filter (certainty > 0 and direction < 0) as parts_less,
      count(*) filter (certainty > 0 and direction > 0) as parts_more
    from certain
    where series['part'] <> ''
    group by series['of']
  ),
  weighed as (
    select
      series,
      if(is_open, cast('infinity' as double), seconds) as seconds,
      sum(n) as n,
      sum(n * weight) as n_at_mix
    from mixed
    join known_parts using (series, part)
    where is_now
    group by all
  ),
  remixed as (
    select
      series,
      seconds,
      sum(n) over upwards / sum(n) over (partition by series) as reached,
      sum(n_at_mix) over upwards / sum(n_at_mix) over (partition by series) as reached_at_mix
    from weighed
    window upwards as (partition by series order by seconds rows unbounded preceding)
  ),
  mixes as (
    select
      series,
      min(seconds) filter (reached_at_mix >= 0.5 - 1e-9) / nullif(min(seconds) filter (reached >= 0.5 - 1e-9), 0)
        as at_mix
    from remixed
    group by series
  ),
  final as (
    select
      certain.series['of'] as series,
      n,
      n_before,
      weeks,
      lag,
      median_s,
      median_before_s,
      ratio,
      ratio_low,
      ratio_high,
      p,
      direction,
      certainty,
      is_small,
      case
        when least(n, n_before) = 0 then 'nothing to compare with'
        when least(n, n_before) < 8 then 'too few to compare'
        when weeks < 3 then 'too short to compare'
        else change_verdict(certainty, direction, is_small, 'shorter', 'longer')
      end as verdict,
      parts,
      parts_less,
      parts_more,
      at_mix
    from certain
    left join part_changes on part_changes.series is not distinct from certain.series['of']
    left join mixes on mixes.series is not distinct from certain.series['of']
    where certain.series['part'] = ''
  )
select * from final
