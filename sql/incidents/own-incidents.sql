-- One row per incident as last read, with the names of its channel and team, and what the configuration makes of it: a
-- step of incident_times. Here nothing is configured; where something is, readers have the same with their own terms in
-- the places of the nulls.
-- columns:
-- channel_name: the channel's present name, else the name on the incident, see own_name; `(no channel)` for channel 0,
--   else `(unknown)`
-- team_id: team that owned the channel when it started, see channel_owners; null when there is none or it is unmapped
-- team_name: the team's present name, see own_name; `(no channel)` for channel 0, `(unknown)` when unmapped
-- excluded_as: name of the first of `reporting.exclude` that leaves it out; null when none does
-- dimensions: its value of each of `reporting.dimensions`, `(none)` where it has none; null when there are none
-- moments: of own measures the moments that are custom fields; null when there are none
-- corrected: names of the fields that were corrected; null when none was
with
  incidents as (select * from incidents),
  channels as (select * from channels),
  channel_owners as (select * from channel_owners),
  named as (
    select account_id, channel_id, own_name(channel_name, channel_id) as present_name from channels
  ),
  corrections as (
    select *, null::varchar[] as corrected from incidents
  ),
  owned as (
    select
      corrections.* replace (
        case
          when corrections.channel_id = 0 then '(no channel)'
          else coalesce(
            named.present_name,
            own_name(corrections.channel_name, corrections.channel_id),
            '(unknown)'
          )
        end as channel_name
      ),
      case when corrections.channel_id <> 0 then channel_owners.team_id end as team_id,
      case
        when corrections.channel_id = 0 then '(no channel)'
        else coalesce(channel_owners.team_name, '(unknown)')
      end as team_name
    from corrections
    left join named
      on named.account_id = corrections.account_id and named.channel_id = corrections.channel_id
    left join channel_owners
      on channel_owners.account_id = corrections.account_id
      and channel_owners.channel_id = corrections.channel_id
      and coalesce(corrections.start_time >= channel_owners.since_at, channel_owners.since_at is null)
      and coalesce(corrections.start_time < channel_owners.until_at, true)
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
