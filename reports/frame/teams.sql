-- The names that `team` can choose from.
select distinct team_name from incident_times order by team_name
