-- A step of findings. Counts whose change is already significant on the card that shows them. Such a count is not
-- reported as a second finding.
-- columns:
-- of_tested: parameter: name of the relation of tested candidates, with the columns of no_tested
-- kind: `outside`
-- key: key of the candidate with the same count
-- value: current count
-- before: previous count
-- see no_candidates: is_worse
-- see tested_candidates: log_ratio
-- card: key of the card
create or replace macro counts_on_cards(of_tested := 'no_tested') as table
with
  no_tested as (select * from no_tested()),
  counts as (
    select kind, key, value, before, is_worse, log_ratio
    from query_table(of_tested)
    where kind = 'outside' and topic in ('counts', 'severities')
  ),
  cards as (
    select key, value, before, is_worse
    from query_table(of_tested)
    where kind = 'shift' and topic = 'cards' and is_sure
  ),
  final as (
    select counts.*, cards.key as card
    from counts
    join cards
      on cards.value = counts.value
      and cards.before = counts.before
      and cards.is_worse = counts.is_worse
  )
select * from final
