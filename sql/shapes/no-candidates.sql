-- Not one candidate, in the shape that findings reads: a relation with these columns is what it has to be given.
-- columns:
-- kind: `unattended`, `goal`, `outside`, `month`, `week`, `shift`, `trend`, `concentrated`, `ageing`, `data` or
--   `burst`, see findings
-- topic: what it is about, and so which section proves it: `open`, `targets`, `counts`, `severities`, `teams`,
--   `sources` (channels), `integrations` (of a channel), `hours`, `dimension service` (of each of the
--   configuration's), `acknowledge`, `resolve`, `nights`, `silence`, `machine`, `cards`
-- key: of the subject, so that a part can name what it is a part of
-- parent: key of what the subject is a part of; null for none
-- subject: its name; hostile text
-- within: what it lies in, such as the team of a person; null for nothing
-- value: how much now: a count, a share, or seconds
-- before: how much before; of a goal the goal
-- estimate: the ratio of value to before; of a share the difference; null for neither
-- see count_candidates: low, high
-- p: how likely that much is by chance; null for a fact that needs no test
-- n: incidents, pages or people it rests on
-- is_worse: it is bad news
-- detail: a second name, such as who holds it, the team to begin with, of what is new the day of its first incident,
--   or of a card the column it shows; null for none
-- amount: a second figure, such as the age of the oldest, seconds, or the share of the team to begin with; null for
--   none
-- is_default: nobody set the goal; null is no
-- is_standing: the goal was missed in both periods before too; null is no
-- is_apart: it moved clearly otherwise than the others of its sort together; null where it is not held against them
with
  final as (
    select
      '' as kind, '' as topic, '' as key, null::varchar as parent, '' as subject, null::varchar as within,
      0::double as value,
      0::double as before, 0::double as estimate, 0::double as low, 0::double as high, 0::double as p, 0::double as n,
      true as is_worse, null::varchar as detail, null::double as amount,
      false as is_default, false as is_standing, null::boolean as is_apart
    limit 0
  )
select * from final
