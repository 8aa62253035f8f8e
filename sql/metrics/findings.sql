-- What is worth saying, most important first. A candidate that was tested is a finding where 95 % speak for it with all
-- that were looked at counted (Benjamini and Hochberg, each sort with a part of its own of what may be wrong); a fact
-- needs no test. What follows from another gives way: more of all from a few of its parts to those parts, parts that
-- only moved as all did to all, single teams to `most` of them. Weight is how serious the kind is, times how far the
-- end of the interval lies from no change, times how many it touches; good news weighs a quarter. Source: Benjamini and
-- Hochberg 1995, J. R. Stat. Soc. B 57, 289-300.
-- rule: Finding: in the lead where it is a fact, a red card, or 95 % speak for it with all that was looked at counted
--   (Benjamini and Hochberg, each sort with its part); what follows from another gives way. findings.csv has all of
--   them.
-- columns:
-- of_candidates: parameter: name of the relation of candidates, with the columns of no_candidates
-- place: 1 is what matters most
-- kind: `unattended`: open, serious and acknowledged by nobody; `goal`: below it; `outside`: more or fewer than before;
--   `month`: more only in the last four weeks; `week`: in the last one; `shift`: a figure changed; `most`: one did in
--   most teams; `trend`: rising or falling; `concentrated`: few carry most; `ageing`: open for long
-- topic: what it is about, see no_candidates
-- key: of the subject, see no_candidates
-- subject: its name; hostile text; null is all
-- within: what the subject lies in
-- value: how much now: a count, a share, or seconds; of `most` in how many teams
-- before: how much before; of a goal the goal; of `most` of how many teams
-- estimate: the ratio of value to before
-- low: lower end of its 95 % interval
-- high: upper end of its 95 % interval
-- p: how likely by chance
-- q: the same with all that were looked at; a finding below 0.05
-- n: incidents, pages or people it rests on
-- is_worse: it is bad news
-- detail: a second name
-- amount: a second figure
-- weight: what it is ordered by
-- gives_way: it follows from another one
create or replace macro findings(of_candidates := 'no_candidates') as table
with
  candidates as materialized (select * from query_table(of_candidates)),
  -- Five in a hundred lists may say something where nothing is; each sort of candidate has its part of these five.
  parts (kind, topic, part) as (
    values
      ('outside', 'sources', 0.16), ('outside', 'integrations', 0.04), ('outside', 'teams', 0.12), ('outside', 'severities', 0.05), ('outside', 'counts', 0.05),
      ('outside', 'hours', 0.05), ('month', 'sources', 0.06), ('month', 'integrations', 0.02), ('month', 'teams', 0.04), ('month', 'counts', 0.02),
      ('week', 'sources', 0.03), ('week', 'integrations', 0.02), ('week', 'teams', 0.03), ('week', 'counts', 0.02),
      ('shift', 'acknowledge', 0.08), ('shift', 'resolve', 0.08), ('concentrated', 'nights', 0.05), ('goal', 'targets', 0.04),
      ('trend', 'counts', 0.04)
  ),
  ordered as (
    select *, row_number() over (partition by kind, topic order by p, key) as tries from candidates where p is not null
  ),
  families as (
    select kind, topic, count(*) as tries from ordered group by kind, topic
  ),
  corrected as (
    select
      ordered.*,
      min(least(1, p * families.tries / ordered.tries / coalesce(parts.part, 0.05)))
        over (partition by ordered.kind, ordered.topic order by ordered.tries desc rows unbounded preceding) as q
    from ordered
    join families on families.kind = ordered.kind and families.topic = ordered.topic
    left join parts on parts.kind = ordered.kind and parts.topic = ordered.topic
  ),
  known as materialized (
    select *, ln(greatest(1e-6, least(1e6, coalesce(estimate, 1)))) as log_ratio
    from (
      select * exclude (tries) from corrected
      union all by name
      select *, null::double as q from candidates where p is null
    )
  ),
  sure as materialized (
    from known where q is null or q < 0.05
  ),
  -- A card may be sure, by itself, of what is a candidate too.
  carded as (
    select known.*, cards.key as card
    from known
    join sure as cards
      on cards.topic = 'cards' and cards.kind = 'shift' and cards.value = known.value and cards.before = known.before
        and cards.is_worse = known.is_worse
    where known.kind = 'outside' and known.topic in ('counts', 'severities')
  ),
  wholes as (
    select kind, key, value, before, is_worse, log_ratio from sure where kind in ('outside', 'month', 'week')
    union
    select kind, key, value, before, is_worse, log_ratio from carded
  ),
  siblings as (
    select kind, topic, coalesce(parent, '') as parent, count(*) as siblings from candidates group by all
  ),
  -- What is left of a whole without those of its parts that moved the same way.
  parted as (
    select
      whole.kind,
      whole.key,
      parts.topic as by_topic,
      bool_or(parts.value = whole.value and (whole.kind <> 'outside' or parts.before = whole.before))
        or (
          count(*) <= 3
          and 2 * count(*) <= any_value(siblings.siblings)
          and sign(any_value(whole.log_ratio)) * ln(
            greatest(1, any_value(whole.value) - sum(parts.value)) / greatest(1, any_value(whole.before) - sum(parts.before))
            / (any_value(whole.value) / greatest(1, any_value(whole.before)) / exp(any_value(whole.log_ratio)))
          ) < 0.5 * abs(any_value(whole.log_ratio))
        ) as is_explained
    from wholes as whole
    join sure as parts
      on parts.parent = whole.key and parts.kind = whole.kind and parts.is_worse = whole.is_worse and parts.key <> whole.key
    join siblings on siblings.kind = parts.kind and siblings.topic = parts.topic and siblings.parent = parts.parent
    group by whole.kind, whole.key, parts.topic
  ),
  spread as (
    select sure.kind, sure.topic, sure.is_worse, count(*)::double as value, any_value(siblings.siblings)::double as before
    from sure
    join siblings on siblings.kind = sure.kind and siblings.topic = sure.topic and siblings.parent = coalesce(sure.parent, '')
    where sure.kind = 'shift' and sure.topic <> 'cards'
    group by sure.kind, sure.topic, sure.is_worse
    having count(*) >= 3 and 2 * count(*) >= any_value(siblings.siblings)
  ),
  placed as (
    select
      *,
      case
        when kind in ('outside', 'month', 'week') and exists (
          from parted where parted.kind = sure.kind and parted.key = sure.key and parted.is_explained
        ) then true
        when kind in ('outside', 'month', 'week') and exists (
          from sure as whole
          where whole.kind = sure.kind and whole.key = sure.parent and whole.is_worse = sure.is_worse
            and abs(sure.log_ratio) < 1.5 * abs(whole.log_ratio)
            and not exists (
              from parted
              where parted.kind = whole.kind and parted.key = whole.key and parted.by_topic = sure.topic and parted.is_explained
            )
        ) then true
        when kind in ('month', 'week') then exists (
          from sure as whole
          where (whole.kind = 'outside' or (whole.kind = 'month' and sure.kind = 'week')) and whole.is_worse
            and (whole.key = sure.key or whole.parent = sure.key or whole.key = sure.parent)
        )
        when kind = 'trend' then exists (from sure as other where other.kind in ('outside', 'month', 'week') and other.is_worse = sure.is_worse)
        when topic = 'hours' then exists (
          from sure as other
          where other.kind in ('outside', 'month', 'week') and other.topic in ('teams', 'sources', 'integrations') and other.is_worse = sure.is_worse
        )
        when kind = 'shift' and topic <> 'cards' then exists (
          from spread where spread.topic = sure.topic and spread.is_worse = sure.is_worse
        )
        when kind = 'shift' then exists (
          from carded
          join parted on parted.kind = carded.kind and parted.key = carded.key and parted.is_explained
          where carded.card = sure.key
        )
        else false
      end as gives_way
    from sure
    where not exists (from carded where carded.kind = sure.kind and carded.key = sure.key)
    union all by name
    select
      'most' as kind, topic, '' as key, null as subject, value, before, value as n, is_worse, 0 as log_ratio, false as gives_way
    from spread
  ),
  weighed as (
    select
      * exclude (log_ratio),
      case kind
        when 'unattended' then 1000
        when 'goal' then 40
        when 'concentrated' then 30
        when 'outside' then if(topic = 'hours', 12, 25)
        when 'month' then 22
        when 'week' then 18
        when 'shift' then if(topic = 'cards', 10, 25)
        when 'most' then 20
        when 'trend' then 10
        else 8
      end
      * if(is_worse, 1, 0.25)
      * (1 + least(3, case
        when kind = 'goal' then coalesce(3 * (before - high), 0)
        when low > 1 then ln(low)
        when high < 1 then -ln(greatest(1e-6, high))
        else 0
      end))
      * log10(10 + coalesce(n, 0)) as weight
    from placed
  ),
  -- One of a subject and sort of figure, as a team that is slower to acknowledge resolves later too; of a goal the one missed most.
  single as (
    select
      *,
      row_number() over (
        partition by if(topic in ('acknowledge', 'resolve'), 'times', topic || kind), coalesce(within, ''), if(kind = 'goal' and topic <> 'cards', '', coalesce(subject, ''))
        order by gives_way, weight desc, topic
      ) as turn
    from weighed
  ),
  -- The first of each kind before the second of any: three goals would leave no room for what is new.
  mixed as (
    select
      * replace (gives_way or turn > 1 as gives_way),
      row_number() over (partition by kind, topic = 'cards', gives_way or turn > 1 order by weight desc, topic, subject, key) as turn_of_kind
    from single
  ),
  final as (
    select
      row_number() over (order by gives_way, turn_of_kind > 1, weight desc, kind, topic, subject, key) as place,
      kind,
      topic,
      key,
      subject,
      "within",
      value,
      before,
      estimate,
      low,
      high,
      p,
      q,
      n,
      is_worse,
      detail,
      amount,
      -- The last digits of a sum go by the order in which rows are stored.
      round(weight, 6) as weight,
      gives_way
    from mixed
  )
select * from final
