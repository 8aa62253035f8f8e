-- Teams that `team` can select in each account, with the id from the service.
select
  team_name,
  account_id::varchar as account_id,
  min(team_id) filter (team_name not in ('(no channel)', '(unknown)')) as team_id
from incident_times
group by all
order by all
