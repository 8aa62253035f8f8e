-- Time zone of the working hours of a team. This is the zone of the hours, or else the zone of the team, or else the
-- zone of reports. Null if no working hours have that name.
-- columns:
-- of_hours: parameter: name of the working hours
-- of_team: parameter: team that owns the channel
create or replace macro working_zone(of_hours, of_team) as
  coalesce(
    (
      select map(list(name || ' ' || team_name), list(timezone))
      from config_working_zones
      where team_name is not null
    )[of_hours || ' ' || of_team],
    (select map(list(name), list(timezone)) from config_working_zones where team_name is null)[of_hours]
  )
