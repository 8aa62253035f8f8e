-- Sums of the scores of durations, one row per series and week. The score of a duration is the share of its series that
-- is shorter, with ties counted half. A duration that is still open gets the middle of all scores above its age.
-- Source: Prentice 1978, Biometrika 65, 167-179.
-- columns:
-- of_observations: parameter: name of the relation of durations, with the columns of no_observations
-- series: the series
-- is_now: the week belongs to the current period, not to an earlier time
-- place: week of its period, see no_observations
-- n: number of durations
-- scores: sum of their scores, each from 0 to 1, with 0.5 as the middle of the series
-- squares: sum of the squares of their scores
create or replace macro duration_scores(of_observations := 'no_observations') as table
with
  no_observations as (select * from no_observations()),
  -- The CTEs have unusual names, because older versions of DuckDB confuse equal names with those of the caller.
  score_ties as materialized (
    select
      series,
      is_now,
      place,
      seconds,
      coalesce(is_open, false) as is_unfinished,
      cast(sum(coalesce(n, 1)) as bigint) as times
    from query_table(of_observations)
    group by all
  ),
  score_moments as (
    select
      series,
      seconds,
      coalesce(sum(times) filter (not is_unfinished), 0) as ended,
      sum(cast(sum(times) as double)) over (partition by series order by seconds desc rows unbounded preceding)
        as at_risk
    from score_ties
    group by series, seconds
  ),
  -- A product as a sum of logarithms. The share above the longest duration is 0, whose logarithm does not exist.
  score_survival as (
    select
      series,
      seconds,
      exp(coalesce(sum(ln(1 - ended / nullif(at_risk, ended))) over upwards, 0)) as known,
      if(ended = at_risk, 0, known) as longer,
      if(ended = at_risk, known, known / (1 - ended / at_risk)) as as_long
    from score_moments
    window upwards as (partition by series order by seconds rows unbounded preceding)
  ),
  -- Ties have the middle of their scores, and open durations the middle of all longer ones.
  final as (
    select
      score_ties.series as series,
      is_now,
      place,
      sum(times) as n,
      sum(times * (1 - if(is_unfinished, longer, longer + as_long) / 2)) as scores,
      sum(times * pow(1 - if(is_unfinished, longer, longer + as_long) / 2, 2)) as squares
    from score_ties
    join score_survival
      on score_survival.series is not distinct from score_ties.series and score_survival.seconds = score_ties.seconds
    group by score_ties.series, is_now, place
  )
select * from final
