-- Not one page, in the shape that person_load reads: a relation with these columns is what it can be given.
-- columns:
-- account_id: account of the member and the incident
-- person_id: the member assigned
-- incident_id: key of the incident
-- band: `work`, `off` or `sleep`
with
  final as (
    select 0::bigint as account_id, 0::bigint as person_id, '' as incident_id, '' as band limit 0
  )
select * from final
