-- The value of a grouped column, or `(all)` in a row that sums over it, as in `or_all(team_name, grouping(team_name))
-- as team_name … group by cube (team_name)`.
-- columns:
-- value: the grouped column
-- is_summed: grouping() of the column, 1 in a row over all values
create or replace macro or_all(value, is_summed) as
  case when is_summed = 1 then '(all)' else value end
