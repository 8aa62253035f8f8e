-- Candidates of findings for open incidents that need attention or have been open for long. See findings.
with
  waiting as (from scoped_open where is_waiting),
  worst as (
    from waiting order by severity_rank(incident_severity), age_s >= 7 * 86400, start_time, incident_id limit 1
  ),
  aged as (
    select count(*) filter (age_s >= 7 * 86400) as old, count(*) as every, max(age_s) as oldest_s from scoped_open
  )
select
  'unattended' as kind,
  'open' as topic,
  incident_id as key,
  concat_ws(' ', nullif(num, ''), title) as subject,
  incident_severity as "within",
  (select count(*) from waiting)::double as value,
  (select count(*) from waiting)::double as n,
  true as is_worse,
  -- Reports on the whole company do not name the assigned people.
  if(len(people) > 0, 'assigned', null) as detail,
  age_s::double as amount
from worst
left join incident_holders(of_incidents := 'worst') using (account_id, incident_id)
union all by name
select
  'ageing' as kind,
  'open' as topic,
  'ageing' as key,
  old::double as value,
  every::double as before,
  old::double as n,
  true as is_worse,
  oldest_s::double as amount
from aged
where old >= 5 and 2 * old >= every
