-- Empty relation with the columns that findings expects.
-- columns:
-- kind: `unattended`, `goal`, `outside`, `month`, `week`, `shift`, `trend`, `concentrated`, `ageing`, `data`, `burst`,
--   `gap`, `resumed`, `moved`, `renamed`, `dominant`, `never_closed`, `in_time`, `new`, `timer`, `apart`, `behind`,
--   `mix` or `unreviewed`, see findings
-- topic: what it is about, which also selects the section with its evidence: `open`, `targets`, `counts`, `severities`,
--   `teams`, `sources` (channels), `integrations` (of a channel), `hours`, `dimension service` (for each configured
--   dimension), `acknowledge`, `resolve`, `nights`, `silence`, `machine`, `cards`, `families` (of alerts),
--   `post_mortems`
-- key: key of the subject, so that a part can refer to its whole
-- parent: key of the whole that the subject is a part of, or null if none
-- subject: name of the subject, untrusted text. Null for a person, whom findings do not name
-- within: object that includes the subject, such as the team of a person, or null if none
-- value: current value as a count, a share, or seconds
-- before: previous value, or the objective for the kind `goal`
-- estimate: ratio of value to before, or the difference for a share. Null if either is missing
-- see count_candidates: low, high
-- p: p value, or null for a fact that needs no test
-- n: incidents, pages or people behind it
-- is_worse: it is bad news
-- detail: second name, such as the team to begin with, the first day of a new subject, the column that a card shows, or
--   `assigned` for an incident that somebody has. Null if none
-- part: share of a `dominant` subject that belongs to a spike, share that a silent part usually has of its parent, or
--   share within target without a spike. Null for other kinds
-- amount: second figure, such as the age of the oldest in seconds, or the share of the team to begin with. Null if none
-- is_standing: true before this period too, such as an objective missed in the previous period and before. Null for no
-- is_apart: its change differs significantly from the changes of its peers. Null if not tested
create or replace macro no_candidates() as table
with
  final as (
    select
      '' as kind, '' as topic, '' as key, null::varchar as parent, '' as subject, null::varchar as within,
      0::double as value,
      0::double as before, 0::double as estimate, 0::double as low, 0::double as high, 0::double as p, 0::double as n,
      true as is_worse, null::varchar as detail, null::double as amount, null::double as part,
      false as is_standing, null::boolean as is_apart
    limit 0
  )
select * from final
