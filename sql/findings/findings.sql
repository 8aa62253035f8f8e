-- Candidates of a page. Findings come first, the most important before others. A tested candidate is a finding if it is
-- significant at a 5% false discovery rate over all tests of the page (see tested_candidates). A fact needs no test. A
-- candidate that follows from another is superseded (see giving_way), and so is a count that a card shows. A whole is
-- superseded if only a few of its parts changed, parts are superseded if all parts of the whole changed alike, and
-- single teams are superseded by `most` (see widespread_shifts). Each subject has one finding. The order is by
-- finding_weight, with the first of each kind before the second of any.
-- rule: Finding: shown in the lead if it is a fact, a red card, or significant at a 5% false discovery rate over
--   everything tested on the page (weighted Benjamini–Hochberg, cards included; gaps: 1% over all parts). A finding
--   that follows from another is omitted. findings.csv lists every candidate, with the reason why it is or is not in
--   the lead.
-- columns:
-- of_candidates: parameter: name of the relation of candidates, with the columns of no_candidates
-- place: rank, 1 is the most important
-- kind: `unattended` (open, high-severity and unacknowledged), `goal` (below its objective), `outside` (more or fewer
--   than before), `month` (more only in the last four weeks), `week` (more in the last week), `shift` (a figure
--   changed), `most` (it changed in most teams), `trend` (rising or falling), `concentrated` (few have most), `ageing`
--   (open for long), `data` (a data gap, or times made by a machine), `burst` (a day or week far above others), `gap`
--   (no incidents of a part), `resumed` (incidents again), `moved` (a channel to another team), `renamed` (a severity),
--   `dominant` (one alert, channel or team has most incidents),
--   `never_closed`, `in_time` (a lower share), `new` (several teams), `timer` (closes that all took the same time),
--   `apart` (a team far slower than the others), `behind` (a team with a share far below the others), `mix` (the halves
--   of the period have different severities) or `unreviewed` (no post-mortem)
-- topic: topic of the finding, see no_candidates
-- key: key of the subject, see no_candidates
-- subject: name of the subject, untrusted text, or null for all and for a person
-- within: object that includes the subject
-- value: current value as a count, a share, or seconds. For `most`, the number of teams that changed
-- before: previous value. For `goal` the objective, for `most` the number of teams tested
-- estimate: ratio of value to before
-- see no_candidates: low, high, n, is_worse
-- p: p value
-- q: p value adjusted for multiple testing. Below 0.05 it is a finding
-- detail: second name
-- amount: second figure
-- part: share, see no_candidates
-- is_standing: true before this period too, see no_candidates
-- is_apart: its change, or that of its whole, differs significantly from the changes of its peers. Null if not tested
-- weight: weight that sets the order
-- is_sure: it is significant or a fact
-- gives_way: it is not a finding of its own, because it is not significant or follows from another
-- reason: why it gives way, in a few words. Null for a finding. Untrusted text, because it can name a team or channel
create or replace macro findings(of_candidates := 'no_candidates') as table
with
  tested as materialized (select * from tested_candidates(of_candidates := of_candidates)),
  following as (select * from giving_way(of_tested := 'tested')),
  -- If a part explains a whole that differs from its peers, the part also counts as different, even if its few siblings
  -- are similar. An only part, such as the only channel of a team, differs from others if its whole does.
  single as (
    select
      tested.* replace (
        coalesce(tested.is_apart or whole.is_apart, tested.is_apart, whole.is_apart) as is_apart
      ),
      case
        when not is_sure then 'not significant after correction'
        when (tested.kind, tested.key) in (select (kind, key) from counts_on_cards(of_tested := 'tested'))
          then 'shown on a card'
        else following.reason
      end as reason
    from tested
    left join following using (kind, topic, key)
    left join (select kind, key, is_apart from tested) as whole
      on whole.kind = tested.kind
      and whole.key = tested.parent
  ),
  chosen as (
    from single
    union all by name
    select *, value as n
    from (
      select 'most' as kind, topic, if(is_worse, 'worse', 'better') as key, value, before, is_worse, true as is_sure
      from widespread_shifts(of_tested := 'tested')
    )
    left join following using (kind, topic, key)
  ),
  weighed as (
    select *, finding_weight(kind, topic, is_worse, before, low, high, n) as weight from chosen
  ),
  -- One finding per subject and type of figure, because a team that is slower to acknowledge also resolves later. Of
  -- several objectives, keeps the one with the highest weight.
  of_subjects as (
    select
      * exclude (reason),
      case
        when reason is not null then reason
        when row_number() over (
          partition by
            if(topic in ('acknowledge', 'resolve') and kind <> 'timer', 'times', topic || kind),
            coalesce(within, ''),
            if(kind = 'goal' and topic <> 'cards', '', coalesce(subject, ''))
          order by reason is not null, weight desc, topic
        ) > 1 then 'same subject as another finding'
      end as reason
    from weighed
  ),
  -- The first of each kind comes before the second of any kind. Otherwise three missed objectives would hide new
  -- findings.
  mixed as (
    select
      *,
      reason is not null as gives_way,
      row_number() over (
        partition by kind, topic = 'cards', gives_way order by weight desc, topic, subject, key
      ) as turn_of_kind
    from of_subjects
  ),
  final as (
    select
      row_number() over (
        order by not is_sure, gives_way, turn_of_kind > 1, weight desc, kind, topic, subject, key
      ) as place,
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
      part,
      coalesce(is_standing, false) as is_standing,
      is_apart,
      -- The last digits of a sum depend on the order in which rows are stored.
      round(weight, 6) as weight,
      is_sure,
      gives_way,
      reason
    from mixed
  )
select * from final
