-- Configured events, for charts over time.
-- name: name of the event
-- day: day of the event
-- team_names: affected teams, null for all
select name, cast(day as varchar) as day, team_names from config_events order by day, name
