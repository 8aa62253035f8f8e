-- How durations changed from one period to the next, for each of several series. All of them are ranked together, those
-- of up to 12 weeks before both periods too, and each week's mean rank counts once, so that weeks, which vary more than
-- incidents do, are what is counted: p is that of the mean of the period against the mean of all weeks before it, with
-- the error of week_dispersion, and never less than that of independent incidents. What is not over counts as the
-- middle of all that is longer than it is old (the scores of Peto and Prentice), so nothing gets faster by being
-- watched less; the two periods must have been watched equally long after their ends. The ratio is that of the medians
-- of both periods, with what was open longer than everything seen, or of those that of_medians has: a figure that
-- follows another rule, of closed incidents alone, say, is held against what it was by the same rule, and changed only
-- where the ranks go the same way. Its interval comes from the weekly shares below either median, see share_dispersion.
-- Source: Prentice 1978, Biometrika 65, 167-179; Woodruff 1952, J. Am. Stat. Assoc. 47, 635-646; Zou and Donner 2008,
-- Stat. Med. 27, 1693-1702.
-- rule: Change of a time: each week's mean rank counts once, up to 12 weeks before both periods among them, and weeks
--   that hang together count as fewer; the ratio is that of the medians. What is open is longer than it is old. Below 8
--   incidents a side nothing is said.
-- columns:
-- of_observations: parameter: name of the relation of the durations, with the columns of no_observations
-- of_medians: parameter: name of the relation of such medians, with the columns of no_medians
-- series: which of them
-- n: durations of the period, open ones included
-- n_before: durations of the period before
-- weeks: weeks of the period that hold any, or of the period before, where those are fewer
-- lag: how far a week takes after the one before it, see week_dispersion
-- median_s: median of the period, seconds; null when half are open, or as of_medians has it
-- median_before_s: median of the period before, judged after as long, or as of_medians has it
-- ratio: median over median before; null when either is not known or the one before is 0
-- ratio_low: lower end of its 95 % interval
-- ratio_high: upper end of its 95 % interval; infinite where what is open has no end
-- p: how likely ranks differ so much, or more, by chance
-- direction: -1 or 1; 0 where the ranks and the medians go different ways
-- certainty: how sure that is, see change_certainty
-- is_small: all of the interval of the ratio is small, see change_verdict
-- verdict: `shorter` or `longer`, each also `possibly`, `about the same` or `no clear change`, see change_verdict;
--   `nothing to compare with` (none on a side), `too few to compare` (below 8), `too short to compare` (below 3 weeks)
create or replace macro duration_changes(of_observations := 'no_observations', of_medians := 'no_medians') as table
with
  observations as (select * from query_table(of_observations)),
  given_medians as (
    select series, median_s as given_s, median_before_s as given_before_s, true as is_given from query_table(of_medians)
  ),
  -- Names of its own: older versions of DuckDB mix them up with those of whoever calls this. Of the stretches 0 is
  -- before both periods.
  tied as materialized (
    select
      series,
      is_now,
      case when is_now then 2 when place >= 0 then 1 else 0 end as stretch,
      place,
      seconds,
      coalesce(is_open, false) as is_open,
      cast(sum(coalesce(n, 1)) as bigint) as n
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
  -- The error of weeks, and that of incidents: where the weeks of one side hold fewer of them, they vary more.
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
  -- What was open is longer than everything seen.
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
      -- How far, in logarithms, the ends lie from the medians; those of 0 and of no end are endless.
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
  final as (
    select
      series,
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
      end as verdict
    from certain
  )
select * from final
