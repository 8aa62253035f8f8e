-- Incidents assigned to a person within a time, one row per person and incident that was not muted, at the first
-- assignment. More than {overload_n} incidents in {overload_within_s} are an overload (thresholds overload_n,
-- overload_within_s). Only reads the period and the {overload_within_s} before it.
-- columns:
-- period_from: parameter: first moment of the period, or null for the first assignment
-- period_to: parameter: first moment after the period, or null for as_of
-- see person_assignments: account_id, person_id, incident_id
-- assigned_at: first assignment of this person to the incident
-- incidents_within: incidents assigned to this person in the {overload_within_s} up to and including assigned_at
-- is_overload: incidents_within is more than {overload_n}
create or replace macro load_within(period_from := null, period_to := null) as table
with
  incident_times as (select * from incident_times),
  person_assignments as not materialized (select * from person_assignments),
  assigned as not materialized (
    select account_id, person_id, incident_id, assigned_at
    from person_assignments
    where assigned_at is not null and is_within(assigned_at, null, period_to)
  ),
  reach as (
    select cast(period_from as timestamptz) - to_seconds(threshold('overload_within_s', 12 * 3600)) as reach_from
  ),
  firsts as (
    select account_id, person_id, incident_id, min(assigned_at) as assigned_at
    from assigned
    where is_within(assigned_at, (select reach_from from reach), null)
    group by account_id, person_id, incident_id
  ),
  given as (
    select firsts.*
    from firsts
    join incident_times using (account_id, incident_id)
    -- A person who was assigned to the incident before is not counted again.
    anti join (
      select * from assigned where assigned_at < (select reach_from from reach)
    ) as held using (account_id, person_id, incident_id)
    where not incident_times.is_muted
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
    select *, incidents_within > threshold('overload_n', 2) as is_overload
    from counted
    where is_within(assigned_at, period_from, period_to)
  )
select * from final
