-- The events of the configuration, for charts over time.
-- name: what it is called
-- day: its day
-- team_names: teams that it touched; null is all
select name, cast(day as varchar) as day, team_names from config_events order by day, name
