-- Incidents in the scope of a report, from $kept_from to $kept_to, one row each, with the columns kept in memory.
-- scoped_incidents is a view of it. Long or rarely used columns are in scoped_details, because they would need most of
-- the memory for a million incidents. scoped_before has fewer columns for up to 12 weeks before both periods
-- (`earlier`), if the data reaches back, and scoped_earlier is a view of it.
-- counted_local: counted_at in the time zone of the report
-- place: week of its period, from 0, see week_of_period
-- judged_at: end of the follow-up time for comparisons, equally long after the end of each period, and of equally long
--   blocks before both. Infinite for the cohort `closed`
with
  cohort_times as (select * from cohort_times),
  cohort_incidents as (select * from cohort_incidents),
  first_answers as (select * from first_answers),
  incident_automation as (select * from incident_automation),
  -- Weeks before both periods are counted back from the start of the previous one, in blocks of `places` weeks.
  reach as (
    select
      epoch($previous_start::timestamptz) as since,
      greatest(1, floor((round((epoch($period_start::timestamptz) - since) / 86400) + 3) / 7)) as places,
      greatest(0, least(12, floor((since - coalesce(epoch($covered_from::timestamptz), since)) / 604800))) as weeks
  ),
  -- Local time by quarter of an hour, at which clocks change, because a time zone lookup per incident is slow.
  quarters as (
    select quarter, timezone($timezone, to_timestamp(900 * quarter)) as local_start
    from (
      select distinct epoch_us(counted_at) // 900000000 as quarter
      from cohort_incidents
      where counted_at >= $kept_from and counted_at < $kept_to
    )
  ),
  -- Only one of the policies needs the next two.
  answers as (
    from first_answers where $ack_policy = 'first_action'
  ),
  automated as (
    from incident_automation where $ack_policy = 'first_action'
  ),
  chosen as (
    select
      cohort_times.* exclude (moments),
      scoped_measures.measures,
      scoped_measures.open_measures,
      make_timestamp(epoch_us(quarters.local_start) + epoch_us(counted_at) - 900000000 * quarter) as counted_local,
      case when start_time = counted_at then counted_local else timezone($timezone, start_time) end as started_local,
      ack_by_policy(
        $ack_policy,
        if(automated.is_acknowledged_by_automation, null, ack_time),
        answers.answered_at,
        closed_at,
        if(automated.is_resolved_by_automation, 0, closer_id)
      ) as answer_at,
      reach.*,
      floor((since - epoch(counted_at) - 1e-6) / 604800) as weeks_back
    from cohort_times
    cross join reach
    join quarters on quarters.quarter = epoch_us(counted_at) // 900000000
    left join answers using (account_id, incident_id)
    left join automated using (account_id, incident_id)
    left join scoped_measures using (account_id, incident_id)
    where counted_at >= $kept_from
      and counted_at < $kept_to
      and ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
      and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
  )
select
  * exclude (
    answer_at, title, detail_url, impact, root_cause, resolution, manual_overrides, assigned_to, account_time_zone,
    incident_status, updated_at, snoozed_before, owner_id, creator_id, ever_muted, since, places, weeks, weeks_back
  ),
  case
    when counted_at < $previous_start then 'earlier'
    when counted_at < $period_start then 'previous'
    when counted_at < $period_end then 'current'
    else 'running'
  end as period,
  case
    when counted_at < $previous_start then weeks - 1 - weeks_back
    when counted_at < $period_start
      then week_of_period(counted_at, $previous_start::timestamptz, $period_start::timestamptz)
    when counted_at < $period_end
      then week_of_period(counted_at, $period_start::timestamptz, $period_end::timestamptz)
  end::usmallint as place,
  case
    when counted_at <> start_time then 'infinity'::timestamptz
    when counted_at < $previous_start
      then to_timestamp(
        since - 604800 * places * floor(weeks_back / places)
          + epoch($as_of::timestamptz) - epoch($period_end::timestamptz)
      )
    when counted_at < $period_start then $period_start::timestamptz + ($as_of::timestamptz - $period_end::timestamptz)
    else $as_of::timestamptz
  end as judged_at,
  hour_band(started_local) as band,
  seconds_to_answer(start_time, answer_at, is_muted) as tta
from chosen
where weeks_back < weeks
