-- How many incidents a person was given at a time: one row per person and incident that was not muted, at the first
-- assignment. A person with more than 2 incidents in 12 hours is overloaded (thresholds overload_n, overload_within_s).
-- columns:
-- account_id: owning account
-- person_id: the member assigned
-- incident_id: key of the incident
-- assigned_at: first assignment of this person to it
-- incidents_within: incidents given to this person in the 12 hours up to and with this moment
-- is_overload: incidents_within is more than 2
with
  incident_times as (select * from incident_times),
  incident_responders as (select * from incident_responders),
  given as (
    select account_id, incident_responders.person_id, incident_id, min(incident_responders.assigned_at) as assigned_at
    from incident_responders
    join incident_times using (account_id, incident_id)
    where not incident_times.is_muted
      and incident_responders.person_id <> 0
      and incident_responders.assigned_at is not null
    group by all
  ),
  counted as (
    select
      *,
      count(*) over (
        partition by account_id, person_id
        order by assigned_at
        range between to_seconds(threshold('overload_within_s', 12 * 3600)) preceding and current row
      ) as incidents_within
    from given
  ),
  final as (
    select *, incidents_within > threshold('overload_n', 2) as is_overload from counted
  )
select * from final
