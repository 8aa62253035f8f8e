-- One row per incident as last read, with the names of its channel and team and the results of the configuration. It is
-- a step of incident_times. In this file, the columns that depend on the configuration are null. Sessions with a
-- configuration replace these nulls.
-- columns:
-- channel_name: current name of the channel, otherwise the name on the incident, see own_name. `(no channel)` for
--   channel 0, and `(unknown)` if it has no name
-- team_id: team that owned the channel at the start, see channel_owners, or null if there was none or it is unmapped
-- team_name: current name of the team, see own_name. `(no channel)` for channel 0, `(unknown)` if unmapped
-- excluded_as: name of the first entry of `reporting.exclude` that excludes it, or null if none does
-- dimensions: value of each of `reporting.dimensions`, `(none)` if it has no value. Null if none is configured
-- moments: custom fields that custom durations use as times, or null if none is configured
-- corrected: names of the corrected fields, or null if none
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
