-- Helper macros for queries of reports, created for each run.

-- Whether an incident matches the selected dimensions, such as `service=checkout`. Each dimension can have several
-- values.
create or replace temp macro has_chosen(chosen, dimensions) as
  chosen is null or list_bool_and(list_transform(
    list_distinct(list_transform(chosen, lambda one: split_part(one, '=', 1))),
    lambda name: list_contains(chosen, name || '=' || dimensions[name])
  ));

-- A figure of the previous period, or null if that period was not read completely, because missing data is not 0.
create or replace temp macro before(figure) as
  case when exists (from scoped_periods where period = 'previous') then figure end;

-- The figure for closed incidents, or null if most are open, because incidents that closed early are mostly short ones.
create or replace temp macro of_most(figure, closed, open) as case when open <= closed then figure end;

-- Result for an objective. It requires 8 incidents, and is inconclusive if the objective is within the 95% CI of the
-- share.
create or replace temp macro goal_verdict(n, low, high, goal) as
  case
    when goal is null or n = 0 then null
    when n < 8 then 'too few to assess'
    when goal between low and high then 'inconclusive'
    when low > goal then 'met'
    else 'missed'
  end;

-- Probability that some gap of `days` days without incidents occurs by chance within `days_seen` days, if `n` incidents
-- came in the `days_before` days before it, in groups of `together` on average. It is the expected number of such gaps,
-- and allows for the uncertainty of the rate (Poisson, with a gamma posterior), at most 1.
create or replace temp macro silence_p(n, together, days, days_before, days_seen) as
  least(1, n / together * days_seen / days_before * pow(1 + days / days_before, -n / together));

-- Limits of the 95% CI of a median, a p90 or a mean. Null below 6, 36 and 20 values. A median and
-- a p90 are also null below the threshold interval_min_n.
create or replace temp macro median_low(x) as quantile_interval(x, 0.5).low;
create or replace temp macro median_high(x) as quantile_interval(x, 0.5).high;
create or replace temp macro p90_low(x) as quantile_interval(x, 0.9).low;
create or replace temp macro p90_high(x) as quantile_interval(x, 0.9).high;
create or replace temp macro mean_low(x) as mean_interval(x, lowest := 0).low;
create or replace temp macro mean_high(x) as mean_interval(x, lowest := 0).high;

-- Times of each series of incidents: their number (`incidents`), the open and not muted ones (`open`), and the figures
-- of tta and ttr, see duration_figures. The figures of ttr are null if most are open. `of_incidents` names a relation
-- with `series`, is_open, muted, tta and ttr.
create or replace temp macro times_by(of_incidents) as table
with
  timed as (
    select series, measure, seconds, count(*) as n, count(*) filter (is_open and not muted) as open
    from (
      select
        series,
        is_open,
        muted,
        unnest([{'measure': 'tta', 'seconds': tta}, {'measure': 'ttr', 'seconds': ttr}], recursive := true)
      from query_table(of_incidents)
    )
    group by series, measure, seconds
  ),
  durations as (
    select {'of': series, 'measure': measure} as series, seconds, n from timed
  ),
  figures as materialized (
    select series.of as series, series.measure as measure, * exclude (series)
    from duration_figures(of_durations := 'durations')
  ),
  counted as (
    select series, cast(sum(n) as bigint) as incidents, cast(sum(open) as bigint) as open
    from timed
    where measure = 'tta'
    group by series
  )
select
  counted.*,
  tta.n as tta_n,
  tta.median_s as tta,
  tta.median_low_s as tta_low,
  tta.median_high_s as tta_high,
  tta.mean_s as tta_mean,
  tta.p10_s as tta_p10,
  tta.p25_s as tta_p25,
  tta.p75_s as tta_p75,
  tta.p90_s as tta_p90,
  tta.p90_low_s as tta_p90_low,
  tta.p90_high_s as tta_p90_high,
  ttr.n as ttr_n,
  of_most(ttr.median_s, ttr.n, open) as ttr,
  of_most(ttr.median_low_s, ttr.n, open) as ttr_low,
  of_most(ttr.median_high_s, ttr.n, open) as ttr_high,
  of_most(ttr.mean_s, ttr.n, open) as ttr_mean,
  of_most(ttr.p10_s, ttr.n, open) as ttr_p10,
  of_most(ttr.p25_s, ttr.n, open) as ttr_p25,
  of_most(ttr.p75_s, ttr.n, open) as ttr_p75,
  of_most(ttr.p90_s, ttr.n, open) as ttr_p90,
  of_most(ttr.p90_low_s, ttr.n, open) as ttr_p90_low,
  of_most(ttr.p90_high_s, ttr.n, open) as ttr_p90_high
from counted
join figures as tta on tta.measure = 'tta' and tta.series is not distinct from counted.series
join figures as ttr on ttr.measure = 'ttr' and ttr.series is not distinct from counted.series;

-- Configured target to acknowledge in seconds, or null without a target.
create or replace temp macro ack_target_s(of_severity) as
  (select map(list(severity), list(ack_target_s)) from config_targets)[of_severity];

-- A duration as of the end of its follow-up time. If the incident was still open then, its age.
create or replace temp macro as_judged(seconds, judged) as
  if(seconds <= judged.watched_s, seconds, judged.watched_s)::double;

-- Whether an incident was still open at the end of its follow-up time.
create or replace temp macro is_unfinished(seconds, judged) as not coalesce(seconds <= judged.watched_s, false);

-- Week of an incident before both periods, below 0. The week belongs to the baseline, not to a period.
create or replace temp macro place_before(judged) as judged.place::bigint - 100;

-- Whether an incident is compared. Incidents that were closed without this time are not compared.
create or replace temp macro is_compared(seconds, judged) as
  judged.place is not null
  and judged.watched_s >= 0
  and (coalesce(seconds <= judged.watched_s, false) or judged.is_open);

-- The sample of a figure is a struct, identified by the name of its one field. Only these macros create it. For its
-- contents see src/report/figure-sample.ts.

-- Durations of a figure. Equal durations are counted, not repeated.
create or replace temp macro times_counted(place, seconds, is_open, part, n, counts := true) as {
  'times_of': list({'place': place, 'seconds': seconds, 'is_open': is_open, 'part': part, 'n': n})
    filter (where counts)
    ::struct(place bigint, seconds double, is_open boolean, part utinyint, n bigint)[]
};

-- Durations of a figure, for its CI and its change, if `counts` is true.
create or replace temp macro times(seconds, judged, counts := true) as times_counted(
  judged.place,
  as_judged(seconds, judged),
  is_unfinished(seconds, judged),
  judged.part,
  1,
  counts and is_compared(seconds, judged)
);

-- Durations of the weeks before both periods: `(select earlier_times_of(tta, judged) from scoped_earlier)`.
create or replace temp macro earlier_times_of(seconds, judged, counts := true) as {
  'earlier_times_of': times_counted(
    place_before(judged),
    as_judged(seconds, judged),
    is_unfinished(seconds, judged),
    judged.part,
    1,
    counts and is_compared(seconds, judged)
  ).times_of
};

-- Durations of a relation with `period`, `judged` and `seconds`, one row per period. Equal durations are counted, so
-- that millions of incidents do not lead to millions of elements. Durations of `earlier` weeks belong to the previous
-- period, in the form of earlier_times_of.
create or replace temp macro sampled(of_seconds) as table
select period, times_counted(place, seconds, is_open, part, n) as sample
from (
  select
    if(period = 'earlier', 'previous', period) as period,
    if(period = 'earlier', place_before(judged), judged.place) as place,
    as_judged(seconds, judged) as seconds,
    is_unfinished(seconds, judged) as is_open,
    judged.part as part,
    count(*) as n
  from query_table(of_seconds)
  where period <> 'running' and is_compared(seconds, judged)
  group by all
)
group by period;

-- Durations of a figure that is not compared. They are only used for its CI.
create or replace temp macro times_alone(seconds) as
  times_counted(0, seconds, false, null, 1, seconds is not null);

-- 95% CI of a duration whose rule differs from that of its sample.
create or replace temp macro interval_of(low, high) as {
  'interval_of': {'low': low, 'high': high}::struct(low double, high double)
};

-- Counts by week. An empty map, not null, if there are no counts.
create or replace temp macro by_week(judged, counts) as
  coalesce(histogram(judged.place) filter (where counts and judged.place is not null), map())::map(bigint, bigint);

-- Counts by week of the period, for the change of a count.
create or replace temp macro weeks_of(judged, counts := true) as {'weeks_of': by_week(judged, counts)};

-- Counts by week before both periods: `(select earlier_weeks_of(judged, …) from scoped_earlier)`.
create or replace temp macro earlier_weeks_of(judged, counts := true) as {'earlier_weeks_of': by_week(judged, counts)};

-- Hits and trials by week of the period, for the change of a share.
create or replace temp macro share_weeks_of(hit, judged, counts := true) as {
  'share_weeks_of': {'hits': by_week(judged, counts and hit), 'n': by_week(judged, counts)}
};

-- Hits and trials by week before both periods: `(select earlier_share_weeks_of(hit, judged, …) from scoped_earlier)`.
create or replace temp macro earlier_share_weeks_of(hit, judged, counts := true) as {
  'earlier_share_weeks_of': share_weeks_of(hit, judged, counts).share_weeks_of
};

-- Spikes: weeks with at least 20 incidents and four times as many as any other week of both periods and the weeks
-- before. Such a week is not due to chance, and it hides changes in the others. `of_weeks` names a relation of
-- `series`, `period`, `place` and `n`, in which empty weeks can be missing. Only weeks that were read are used, and the
-- period needs three of them.
create or replace temp macro bursts_in(of_weeks) as table
with
  burst_places as (from scoped_places where is_read),
  burst_weeks as (from query_table(of_weeks) semi join burst_places using (period, place)),
  burst_lengths as (
    select period, count(*) as weeks from burst_places where period <> 'earlier' group by period
  ),
  burst_order as (
    select
      *,
      row_number() over (partition by series order by n desc, period, place) as turn,
      coalesce(lead(n) over (partition by series order by n desc, period, place), 0) as largest_other
    from burst_weeks
  )
select burst_order.* exclude (turn)
from burst_order
join burst_lengths using (period)
where turn = 1
  and burst_order.n >= greatest(20, 4 * largest_other)
  and weeks >= 3;

-- Headline time to resolve of both periods by the rule of the current one, see resolve_time. The previous period has
-- the same follow-up time. `of_incidents` names a relation of scoped_incidents. closed_half_s is the median of the
-- closed incidents if they are the majority. Otherwise taken_on is the number of closed and open incidents together.
create or replace temp macro resolve_times(of_incidents) as table
with
  resolved_now as (from query_table(of_incidents) where period = 'current'),
  resolved_then as (
    select * replace (
      judged.is_open as is_open,
      if(judged.is_open, null, time_to_resolve_s) as time_to_resolve_s,
      if(judged.is_open, judged.watched_s, survival_s) as survival_s
    )
    from query_table(of_incidents)
    where period = 'previous' and judged.watched_s >= 0
  ),
  headline as materialized (from resolve_time(of_incidents := 'resolved_now'))
select
  *,
  of_most(closed_median_s, closed, open) as closed_half_s,
  if(open > closed, closed + open, null) as taken_on
from (
  select 'current' as period, * from headline
  union all
  select 'previous', *
  from resolve_time(of_incidents := 'resolved_then', by_survival := (select is_survival from headline))
  where before(true)
);

-- Results within target without the incidents of a spike, by measure and severity. There are rows only for periods with
-- a spike, and only for 8 incidents or more. `of_targets` names a relation like scoped_targets.
create or replace temp macro attained_without_spike(of_targets) as table
with
  calm_targets as (from query_table(of_targets) where series = 'current' and not judged.is_in_spike)
select measure, incident_severity, share, goal_verdict(met + missed, share_low, share_high, goal) as verdict
from targets_attained(of_targets := 'calm_targets')
where team_name = '(all)'
  and met + missed >= 8
  and exists (from query_table(of_targets) where series = 'current' and judged.is_in_spike);

-- Results within target, one row per severity and measure (`acknowledge`, `resolve`) with a target. `decided` is met or
-- missed, `ended_early` is the number that ended before the acknowledgement was due, null for 0. `of_targets` names a
-- relation like scoped_targets.
create or replace temp macro targets_of(of_targets) as table
with
  held_targets as (from query_table(of_targets) where series in ('current', 'previous')),
  shares as (
    select *, goal_verdict(met + missed, share_low, share_high, goal) as verdict
    from targets_attained(of_targets := 'held_targets')
  ),
  past as (from shares where series = 'previous')
select
  now.incident_severity as severity,
  measure || if(now.is_in_hours, ', working hours', '') as measure,
  now.target_s as target,
  now.measure || ' ' || now.incident_severity as target_of,
  now.met + now.missed as decided,
  now.missed,
  nullif(now.ended_early, 0) as ended_early,
  now.share,
  now.share_low as low,
  now.share_high as high,
  now.goal,
  now.verdict || if(calm.verdict <> now.verdict, '; ' || calm.verdict || ' without the spike', '') as verdict,
  before(past.share) as before
from shares now
left join past using (incident_severity, team_name, measure)
left join attained_without_spike(of_targets) as calm
  on calm.measure = now.measure and calm.incident_severity = now.incident_severity
where now.series = 'current' and team_name = '(all)' and now.incident_severity <> '(all)';

-- Share within target of one measure (`acknowledge`, `resolve`) for a card, with the same CI as in tables, and the
-- objective if it is the same for all. If one severity significantly misses it, the objective is shown only if the
-- total misses it as well. `of_targets` names a relation like scoped_targets, with `period`.
create or replace temp macro attained_of(of_targets, of_measure) as table
with
  attained_now as (select *, period as series from query_table(of_targets) where period = 'current'),
  attained as (
    select
      *,
      coalesce(goal_verdict(met + missed, share_low, share_high, goal) = 'missed', false) as is_missed
    from targets_attained(of_targets := 'attained_now')
    where measure = of_measure and team_name = '(all)'
  )
select
  'current' as period,
  share_low as low,
  share_high as high,
  if(is_missed or not (select bool_or(is_missed) from attained), goal, null) as goal
from attained
where incident_severity = '(all)';
