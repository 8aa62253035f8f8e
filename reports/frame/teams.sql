-- The teams that `team` can choose from, in each account, with the numbers of those of the service that are called so.
select
  team_name,
  account_id::varchar as account_id,
  coalesce(
    list(distinct team_id order by team_id)
      filter (team_name not in ('(no channel)', '(unknown)') and team_id is not null),
    []
  ) as team_ids
from incident_times
group by all
order by all
