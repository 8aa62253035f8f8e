-- Labels of incidents, one row per incident of the base set and label. Incidents inherit labels from their alerts.
-- columns:
-- account_id: account of the incident
-- incident_id: key of the incident
-- label: label name
-- value: label value, untrusted text
with
  incident_times as (select * from incident_times),
  incidents as (select * from incidents),
  final as (
    select account_id, incident_id, pairs.key as label, pairs.value ->> '$' as value
    from incident_times
    join incidents using (account_id, incident_id)
    cross join json_each(incidents.labels) as pairs
  )
select * from final
