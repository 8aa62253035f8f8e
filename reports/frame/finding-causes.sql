-- Causes of findings about counts. A cause is the alert family with at least half of the incidents of the subject and
-- at least half of their increase. `asked` has kind, key, value and before of these findings, see findings.
with
  weeks as (
    select period, place, last_place
    from scoped_places
    cross join (select max(place) as last_place from scoped_places where period = 'current')
  ),
  sides as (
    select
      kind,
      period,
      place,
      period = 'current' and place > last_place - recent as is_now,
      case kind when 'outside' then period = 'previous' when 'month' then period <> 'current' else not is_now end
        as is_before
    from weeks
    cross join (values ('outside', 10000), ('month', 4), ('week', 1)) as kinds (kind, recent)
  ),
  titled as (
    select period, place, title, unnest([
      'all',
      'team ' || team_name,
      concat_ws(chr(31), 'channel', team_name, channel_name),
      'severity ' || incident_severity
    ]) as key
    from scoped_kept
    join scoped_details using (account_id, incident_id)
    where place is not null and title <> ''
  ),
  names as (
    select title, alert_family(title) as family
    from (select distinct title from titled semi join asked using (key))
  ),
  families as (
    select
      asked.kind,
      asked.key,
      family,
      any_value(asked.value) as value,
      any_value(asked.before) as before,
      count(*) filter (is_now) as n,
      count(*) filter (is_before) as n_before
    from asked
    join titled using (key)
    join names using (title)
    join sides using (kind, period, place)
    group by all
  ),
  spans as (
    select kind, count(*) filter (is_now) / nullif(count(*) filter (is_before), 0) as scale from sides group by kind
  )
select kind, key, alert_family_name(family) as cause, n as cause_n
from families
join spans using (kind)
where n >= 8 and 2 * n >= value and 2 * (n - scale * n_before) >= value - before
qualify row_number() over (partition by kind, key order by n desc, family) = 1
