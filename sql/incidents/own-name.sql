-- A name as the service has it. Its id is behind it where several have that name, or where rows here are called so, as
-- the total is: own_name(team_name, team_id).
-- columns:
-- given: parameter: the name; null where it is empty
-- id: parameter: id of what has the name
-- is_shared: parameter: whether another one has that name too
create or replace macro own_name(given, id, is_shared := false) as
  nullif(given, '') || case
    when is_shared or given in ('(all)', '(no channel)', '(none)', '(other)', '(unknown)') then ' (' || id || ')'
    else ''
  end
