-- A step of findings. Figures that changed in the same direction in most teams: in at least half of the tested teams,
-- and in three teams or in both of two. They are reported instead of the single teams.
-- columns:
-- of_tested: parameter: name of the relation of tested candidates, with the columns of no_tested
-- topic: the figure, `acknowledge` or `resolve`
-- is_worse: it is bad news
-- value: number of teams in which it changed
-- before: number of teams tested
create or replace macro widespread_shifts(of_tested := 'no_tested') as table
with
  no_tested as (select * from no_tested()),
  shifts as (
    select topic, coalesce(parent, '') as parent, is_worse, is_sure
    from query_table(of_tested)
    where kind = 'shift' and topic <> 'cards'
  ),
  looked_at as (
    select topic, parent, count(*) as teams from shifts group by topic, parent
  ),
  final as (
    select topic, is_worse, count(*)::double as value, any_value(teams)::double as before
    from shifts
    join looked_at using (topic, parent)
    where is_sure
    group by topic, is_worse
    having count(*) >= greatest(2, least(3, any_value(teams))) and 2 * count(*) >= any_value(teams)
  )
select * from final
