-- New teams, channels and severities, whose first known incident came in or after the period. They cannot be compared
-- with earlier incidents. Empty if the previous period was not read completely.
-- topic, key: as in no_candidates. first_on: local day of the first incident
with
  cohort_times as (
    select counted_at, team_name, channel_name, incident_severity from cohort_times where counted_at < $previous_start
  ),
  seen as (
    select
      team_name,
      channel_name,
      incident_severity,
      min(counted_local) as first_local,
      bool_or(period = 'previous') as was_before
    from scoped_kept
    where period <> 'earlier'
    group by all
  ),
  subjects as (
    select first_local, was_before, unnest([
      {'topic': 'teams', 'key': 'team ' || team_name, 'team': team_name, 'channel': null, 'severity': null},
      {
        'topic': 'sources', 'key': concat_ws(chr(31), 'channel', team_name, channel_name),
        'team': team_name, 'channel': channel_name, 'severity': null
      },
      {
        'topic': 'severities', 'key': 'severity ' || incident_severity,
        'team': null, 'channel': null, 'severity': incident_severity
      }
    ], recursive := true)
    from seen
  ),
  fresh as (
    select topic, key, team, channel, severity, min(first_local) as first_local
    from subjects
    -- A missing team is not a new team.
    where coalesce(team, '') not in ('(no channel)', '(unknown)')
    group by all
    having not bool_or(was_before)
  )
select topic, key, first_local::date as first_on
from fresh
where $is_compared::boolean and not exists (
  from cohort_times as older
  where topic = 'teams' and older.team_name = fresh.team
) and not exists (
  from cohort_times as older
  where topic = 'sources' and older.team_name = fresh.team and older.channel_name = fresh.channel
) and not exists (
  from cohort_times as older
  where topic = 'severities' and older.incident_severity = fresh.severity
)
order by topic, key
