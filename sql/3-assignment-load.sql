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
  final as (
    select * from load_within()
  )
select * from final
