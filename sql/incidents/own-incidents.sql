-- One row per incident as last read, with the names of its channel and team, and what the configuration makes of it: a
-- step of incident_times. Here nothing is configured; where something is, readers have the same with their own terms in
-- the places of the nulls.
-- columns:
-- channel_name: the channel's present name, else the name on the incident, see own_name; `(no channel)` for channel 0,
--   else `(unknown)`
-- team_id: team that owns the channel; null when there is none or it is unmapped
-- team_name: team that owns the channel, see own_name; `(no channel)` for channel 0, `(unknown)` when unmapped
-- excluded_as: name of the first of `reporting.exclude` that leaves it out; null when none does
-- dimensions: its value of each of `reporting.dimensions`, `(none)` where it has none; null when there are none
-- moments: of own measures the moments that are custom fields; null when there are none
-- corrected: names of the fields that were corrected; null when none was
with
  incidents as (select * from incidents),
  channels as (select * from channels),
  teams as (select * from teams),
  owners as (
    select
      channels.account_id,
      channels.channel_id,
      own_name(channels.channel_name, channels.channel_id) as present_name,
      teams.team_id as owning_id,
      own_name(
        teams.team_name,
        teams.team_id,
        is_shared := min(team_id) over namesakes < max(team_id) over namesakes
      ) as owning_name
    from channels
    left join teams using (account_id, team_id)
    window namesakes as (partition by account_id, teams.team_name)
  ),
  corrections as (
    select *, null::varchar[] as corrected from incidents
  ),
  owned as (
    select
      corrections.* replace (
        case
          when channel_id = 0 then '(no channel)'
          else coalesce(present_name, own_name(channel_name, channel_id), '(unknown)')
        end as channel_name
      ),
      case when channel_id <> 0 then owning_id end as team_id,
      case when channel_id = 0 then '(no channel)' else coalesce(owning_name, '(unknown)') end as team_name
    from corrections
    left join owners using (account_id, channel_id)
  ),
  final as (
    select
      *,
      null::varchar as excluded_as,
      null::map(varchar, varchar) as dimensions,
      null::map(varchar, timestamptz) as moments
    from owned
  )
select * from final
