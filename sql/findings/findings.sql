-- What is worth saying, most important first. A candidate that was tested is a finding where 95 % speak for it with all
-- that were looked at counted (see tested_candidates); a fact needs no test. What follows from another gives way (see
-- giving_way): more of all from a few of its parts to those parts, parts that only moved as all did to all, single
-- teams to `most` of them (see widespread_shifts), and of a subject one finding is enough. The order is by
-- finding_weight, the first of each kind before the second of any.
-- rule: Finding: in the lead where it is a fact, a red card, or 95 % speak for it with all that was looked at counted
--   (Benjamini and Hochberg over all of a page, cards too, each sort with its part); what follows from another gives
--   way. findings.csv has all of them.
-- columns:
-- of_candidates: parameter: name of the relation of candidates, with the columns of no_candidates
-- place: 1 is what matters most
-- kind: `unattended`: open, serious and acknowledged by nobody; `goal`: below it; `outside`: more or fewer than before;
--   `month`: more only in the last four weeks; `week`: in the last one; `shift`: a figure changed; `most`: one did in
--   most teams; `trend`: rising or falling; `concentrated`: few carry most; `ageing`: open for long; `data`: a
--   silence, or times that a machine makes; `burst`: a day or a week that brought many times as many as any other
-- topic: what it is about, see no_candidates
-- key: of the subject, see no_candidates
-- subject: its name; hostile text; null is all
-- within: what the subject lies in
-- value: how much now: a count, a share, or seconds; of `most` in how many teams
-- before: how much before; of a goal the goal; of `most` of how many teams
-- estimate: the ratio of value to before
-- see no_candidates: low, high, n, is_worse
-- p: how likely by chance
-- q: the same with all that were looked at; a finding below 0.05
-- detail: a second name
-- amount: a second figure
-- is_default: nobody set the goal
-- is_standing: the goal was missed in both periods before too
-- is_apart: it, or what it is a part of, moved clearly otherwise than the others of its sort together; null where it is
--   not held against them
-- weight: what it is ordered by
-- gives_way: it follows from another one
create or replace macro findings(of_candidates := 'no_candidates') as table
with
  tested as materialized (select * from tested_candidates(of_candidates := of_candidates)),
  following as (select *, true as gives_way from giving_way(of_tested := 'tested')),
  -- What is apart with the whole that it is why of is apart, too, however alike its few others are.
  single as (
    select
      tested.* replace (tested.is_apart or coalesce(whole.is_apart, false) as is_apart),
      coalesce(following.gives_way, false) as gives_way
    from tested
    left join following using (kind, topic, key)
    left join (select kind, key, is_apart from tested) as whole
      on whole.kind = tested.kind
      and whole.key = tested.parent
    where is_sure
  ),
  -- A count that a card shows is said as the card.
  chosen as (
    from single
    anti join counts_on_cards(of_tested := 'tested') as carded using (kind, key)
    union all by name
    select 'most' as kind, topic, '' as key, value, before, value as n, is_worse, false as gives_way
    from widespread_shifts(of_tested := 'tested')
  ),
  weighed as (
    select *, finding_weight(kind, topic, is_worse, before, low, high, n) as weight from chosen
  ),
  -- Of a subject and sort of figure one, as a team that is slower to acknowledge resolves later too; of goals the one
  -- missed most.
  of_subjects as (
    select
      * exclude (gives_way),
      gives_way or row_number() over (
        partition by
          if(topic in ('acknowledge', 'resolve'), 'times', topic || kind),
          coalesce(within, ''),
          if(kind = 'goal' and topic <> 'cards', '', coalesce(subject, ''))
        order by gives_way, weight desc, topic
      ) > 1 as gives_way
    from weighed
  ),
  -- The first of each kind before the second of any: three goals would leave no room for what is new.
  mixed as (
    select
      *,
      row_number() over (
        partition by kind, topic = 'cards', gives_way order by weight desc, topic, subject, key
      ) as turn_of_kind
    from of_subjects
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
      coalesce(is_default, false) as is_default,
      coalesce(is_standing, false) as is_standing,
      is_apart,
      -- The last digits of a sum go by the order in which rows are stored.
      round(weight, 6) as weight,
      gives_way
    from mixed
  )
select * from final
