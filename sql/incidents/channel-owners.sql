-- Teams that owned a channel over time, one row per channel and period with one owner. A channel whose owner never
-- changed has one row. The owner changed at `updated_at` of the first content with the new owner. If that time is not
-- between two reads, the change is dated to the first read of that content.
-- columns:
-- account_id: owning account
-- channel_id: key of the channel
-- team_id: team that owned it, or null if there was none or it is unmapped
-- team_name: current name of that team, see own_name, or null if there was none or it is unmapped
-- since_at: start of the ownership, or null for the first known owner
-- until_at: end of the ownership, or null for the current owner
-- known_from_at: time from which the owners of the channel are known
-- run_id: run that first saw this owner
with
  channels as (select * from channels),
  channel_versions as (select * from channel_versions),
  teams as (select * from teams),
  contents as (
    select account_id, channel_id, team_id, updated_at, _seen_at, _run_id, _replaced_at from channel_versions
    union all
    select account_id, channel_id, team_id, updated_at, _seen_at, _run_id, null from channels
  ),
  ordered as (
    select
      *,
      row_number() over by_time as place,
      lag(team_id) over by_time as team_before,
      lag(_seen_at) over by_time as seen_before_at,
      first_value(least(updated_at, _seen_at)) over by_time as known_from_at
    from contents
    window by_time as (partition by account_id, channel_id order by _replaced_at nulls last, _seen_at)
  ),
  changes as (
    select
      *,
      case
        when place = 1 then null
        when updated_at > seen_before_at and updated_at < _seen_at then updated_at
        else _seen_at
      end as since_at
    from ordered
    where place = 1 or team_id is distinct from team_before
  ),
  final as (
    select
      changes.account_id,
      changes.channel_id,
      teams.team_id,
      own_name(
        teams.team_name,
        teams.team_id,
        is_shared := min(teams.team_id) over namesakes < max(teams.team_id) over namesakes
      ) as team_name,
      changes.since_at,
      lead(changes.since_at) over (
        partition by changes.account_id, changes.channel_id order by changes.place
      ) as until_at,
      changes.known_from_at,
      changes._run_id as run_id
    from changes
    left join teams on teams.account_id = changes.account_id and teams.team_id = changes.team_id
    window namesakes as (partition by changes.account_id, teams.team_name)
  )
select * from final
