-- Usual number of incidents per week, over the 12 weeks before a spike or a data gap began. It is the same in every
-- report, whatever its period. It uses only weeks that were read completely, and needs three of them. A day has at most
-- twice the incidents of a usual day, so an earlier spike is not usual.
-- `of_starts` names a relation of `series`, `from_day` (local day on which it began), and `team_name`,
-- `channel_name`, `integration_type` and `incident_severity` of the incidents, which are null for all.
-- weeks: number of weeks. n: their incidents. per_week: mean. dispersion: variance divided by the mean, at least 1
create or replace temp macro usual_before(of_starts) as table
with
  usual_starts as (select distinct * from query_table(of_starts)),
  usual_gaps as (
    select timezone($timezone, gap_from) as gap_from_local, timezone($timezone, gap_to) as gap_to_local
    from unread_within()
  ),
  usual_weeks as (
    select series, from_day, week, (from_day - 7 * week)::timestamp as first_local
    from usual_starts
    cross join (select unnest(range(1, 13))::integer as week)
    where first_local >= timezone($timezone, $covered_from::timestamptz)
      and not exists (
        from usual_gaps where gap_from_local < first_local + interval 7 day and gap_to_local > first_local
      )
  ),
  usual_counts as (
    select series, from_day, timezone($timezone, counted_at)::date as day, count(*) as n
    from cohort_times as one
    join usual_starts as start
      on counted_at >= timezone($timezone, (from_day - 84)::timestamp)
      and counted_at < timezone($timezone, from_day::timestamp)
      and coalesce(one.team_name = start.team_name, true)
      and coalesce(one.channel_name = start.channel_name, true)
      and coalesce(one.integration_type = start.integration_type, true)
      and coalesce(one.incident_severity = start.incident_severity, true)
    where ($teams::varchar[] is null or list_contains($teams::varchar[], one.team_name))
      and ($severities::varchar[] is null or list_contains($severities::varchar[], one.incident_severity))
    group by all
  ),
  usual_days as (
    select series, from_day, (from_day - day + 6) // 7 as week, least(n, 2 * median(n) over whole) as n
    from usual_counts
    window whole as (partition by series, from_day)
  ),
  usual_sums as (
    select series, from_day, week, coalesce(sum(n), 0) as n
    from usual_weeks
    left join usual_days using (series, from_day, week)
    group by all
  )
select
  series,
  from_day,
  count(*) as weeks,
  sum(n) as n,
  avg(n) as per_week,
  greatest(1, coalesce(var_samp(n) / nullif(avg(n), 0), 1)) as dispersion
from usual_sums
group by series, from_day
having count(*) >= 3;
