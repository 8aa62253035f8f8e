-- Causes of findings about counts. A cause is the alert family with at least half of the incidents of the subject and
-- at least half of their increase. `asked` has kind, key, value and before of these findings, see findings. For a spike
-- (kind `burst`), only the incidents of its days count. cause_since is the day on which the alert became more frequent,
-- within the weeks that are compared. A Poisson process with two rates is fitted to each day with an incident, and the
-- most likely day is used. It is null if its 95% CI, widened for overdispersion, is longer than three weeks, or if the
-- alert became rare again. Source: Hinkley 1970, Biometrika 57, 1-17.
with
  weeks as (
    select
      period,
      place,
      last_place,
      row_number() over (order by period <> 'earlier', period = 'current', place) as nth
    from scoped_places
    cross join (select max(place) as last_place from scoped_places where period = 'current')
  ),
  sides as (
    select
      kind,
      period,
      place,
      nth,
      period = 'current' and place > last_place - recent as is_now,
      case kind when 'outside' then period = 'previous' when 'month' then period <> 'current' else not is_now end
        as is_before
    from weeks
    cross join (values ('outside', 10000), ('month', 4), ('week', 1)) as kinds (kind, recent)
  ),
  -- The subjects of each combination of team, channel and severity. Incidents without a subject are skipped early.
  subjects as (
    select team_name, channel_name, incident_severity, key
    from (
      select distinct team_name, channel_name, incident_severity, unnest([
        'all',
        'team ' || team_name,
        concat_ws(chr(31), 'channel', team_name, channel_name),
        'severity ' || incident_severity
      ]) as key
      from scoped_kept
    )
    semi join asked using (key)
  ),
  titled as materialized (
    select key, period, place, counted_local::date as day, title, count(*) as n
    from scoped_kept as i
    join scoped_details using (account_id, incident_id)
    join subjects as s
      on s.team_name is not distinct from i.team_name
      and s.channel_name is not distinct from i.channel_name
      and s.incident_severity is not distinct from i.incident_severity
    where place is not null and title <> ''
    group by all
  ),
  names as (
    select title, alert_family(title) as family from (select distinct title from titled)
  ),
  families as (
    select
      asked.kind,
      asked.key,
      family,
      any_value(asked.value) as value,
      any_value(asked.before) as before,
      sum(titled.n) filter (is_now) as n,
      coalesce(sum(titled.n) filter (is_before), 0) as n_before
    from asked
    join titled using (key)
    join names using (title)
    join sides using (kind, period, place)
    group by all
  ),
  -- A subject is compared from the week of its first incident on.
  started as (
    select key, min(nth) as first_nth
    from titled
    join weeks using (period, place)
    group by key
  ),
  spans as (
    select
      kind,
      key,
      count(*) filter (is_now) / nullif(count(*) filter (is_before and nth >= first_nth), 0) as scale
    from sides
    cross join started
    group by kind, key
  ),
  causes as (
    select kind, key, family, n
    from families
    join spans using (kind, key)
    where n >= 8 and 2 * n >= value and 2 * (n - coalesce(scale * n_before, 0)) >= value - before
    qualify row_number() over (partition by kind, key order by n desc, family) = 1
  ),
  spikes as (
    select asked.kind, asked.key, family, sum(titled.n) as n
    from asked
    join scoped_bursts as burst
      on kind = 'burst'
      and burst.period = 'current'
      and asked.key = concat_ws(chr(31), 'channel', team_name, channel_name)
      and asked.value = n_days
    join titled on titled.key = asked.key and day >= from_day and day < to_day
    join names using (title)
    group by asked.kind, asked.key, asked.value, family
    having 2 * sum(titled.n) >= asked.value
    qualify row_number() over (partition by asked.key, asked.value order by sum(titled.n) desc, family) = 1
  ),
  compared_weeks as (
    from sides where kind <> 'outside' or period <> 'earlier'
  ),
  compared as (
    select kind, key, title, day, n from titled join compared_weeks using (period, place)
  ),
  last_days as (
    select kind, max(day) as last_day
    from (select period, place, max(counted_local)::date as day from scoped_kept where place is not null group by all)
    join compared_weeks using (period, place)
    group by kind
  ),
  by_day as (
    select kind, key, day, sum(compared.n) as on_day
    from causes
    join compared using (kind, key)
    join names using (title, family)
    group by kind, key, day
  ),
  splits as (
    select
      kind,
      key,
      day,
      day - first_day as days_before,
      last_day - day + 1 as days,
      sum(on_day) over since as n,
      sum(on_day) over whole - n as n_before,
      sum(on_day * on_day) over since as squares,
      sum(on_day * on_day) over whole - squares as squares_before,
      n / days as rate,
      n_before / nullif(days_before, 0) as rate_before
    from by_day
    join last_days using (kind)
    join (select kind, key, min(day) as first_day from compared group by kind, key) as begins using (kind, key)
    window whole as (partition by kind, key), since as (partition by kind, key order by day desc)
  ),
  likely as (
    select
      *,
      case when rate > rate_before then n * ln(rate) + if(n_before = 0, 0, n_before * ln(rate_before)) end
        as likelihood,
      (squares / rate - n + if(n_before = 0, 0, squares_before / rate_before - n_before)) / (days_before + days - 2)
        as dispersion
    from splits
  ),
  best as (
    select kind, key, max_by(likely, likelihood) as best from likely group by kind, key
  ),
  starts as (
    select kind, key, best.day as since
    from likely
    join best using (kind, key)
    group by kind, key, best
    having max(day) filter (2 * (best.likelihood - likelihood) <= pow(z95(), 2) * greatest(1, best.dispersion))
        - min(day) filter (2 * (best.likelihood - likelihood) <= pow(z95(), 2) * greatest(1, best.dispersion)) <= 21
      and max(n) filter (day >= best.day + (best.days // 2)::integer) >= 0.3 * best.n
  )
select kind, key, alert_family_name(family) as cause, n as cause_n, since::varchar as cause_since
from (from causes union all from spikes)
left join starts using (kind, key)
