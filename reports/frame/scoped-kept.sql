-- Incidents in the scope of a report, one row each, with the columns kept in memory: from up to 12 weeks before both
-- periods (`earlier`), if the data reaches back, to $scope_end. scoped_incidents and scoped_earlier are views of this
-- relation. Long or rarely used columns are in scoped_details. These would need most of the memory for a million
-- incidents.
-- counted_local: counted_at in the time zone of the report
-- place: week of its period, from 0, see week_of_period
-- judged_at: end of the follow-up time for comparisons, equally long after the end of each period, and of equally long
--   blocks before both. Infinite for the cohort `closed`
with
  cohort_times as (select * from cohort_times),
  scoped_answers as (select * from scoped_answers),
  -- Weeks before both periods are counted back from the start of the previous one, in blocks of `places` weeks.
  reach as (
    select
      epoch($previous_start::timestamptz) as since,
      greatest(1, floor((round((epoch($period_start::timestamptz) - since) / 86400) + 3) / 7)) as places,
      greatest(0, least(12, floor((since - coalesce(epoch($covered_from::timestamptz), since)) / 604800))) as weeks
  ),
  -- Local time is looked up per quarter of an hour, because clocks change only at quarters, and a time zone lookup per
  -- incident is slow. Times outside of the range are looked up one by one.
  quarters as (
    select quarter, timezone($timezone, to_timestamp(900 * quarter)) as local_start
    from (
      select unnest(range(
        epoch_us(greatest($previous_start::timestamptz - interval 84 day, $covered_from::timestamptz)) // 900000000,
        epoch_us(least($scope_end::timestamptz, $as_of::timestamptz)) // 900000000 + 1
      )) as quarter
    )
  ),
  chosen as (
    select
      cohort_times.* exclude (moments),
      scoped_measures.measures,
      scoped_measures.open_measures,
      coalesce(
        make_timestamp(epoch_us(quarters.local_start) + epoch_us(counted_at) - 900000000 * quarter),
        timezone($timezone, counted_at)
      ) as counted_local,
      case when start_time = counted_at then counted_local else timezone($timezone, start_time) end as started_local,
      ack_by_policy(
        $ack_policy,
        if(is_acknowledged_by_automation, null, ack_time),
        answered_at,
        closed_at,
        if(is_resolved_by_automation, 0, closer_id)
      ) as answer_at,
      reach.*,
      floor((since - epoch(counted_at) - 1e-6) / 604800) as weeks_back
    from cohort_times
    cross join reach
    left join quarters on quarters.quarter = epoch_us(counted_at) // 900000000
    left join scoped_answers using (account_id, incident_id)
    left join scoped_measures using (account_id, incident_id)
    where counted_at >= $previous_start::timestamptz - interval 84 day
      and counted_at < $scope_end
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
