-- A name from the service. The id is added if several objects have that name, or if the name is reserved, such as
-- `(all)`. Example: own_name(team_name, team_id).
-- columns:
-- given: parameter: the name, null or empty gives null
-- id: parameter: id of the object
-- is_shared: parameter: whether another object has the same name
create or replace macro own_name(given, id, is_shared := false) as
  nullif(given, '') || case
    when is_shared or given in ('(all)', '(no channel)', '(none)', '(other)', '(unknown)') then ' (' || id || ')'
    else ''
  end
