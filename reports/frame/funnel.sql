-- Steps from the records that were read to the incidents that are included, for the period.
-- exclusion: name of the configured exclusion, for the selected teams, severities and dimensions, or null
with
  incidents as (
    select * from cohort_incidents where counted_at >= $period_start and counted_at < $period_end
  ),
  base as (
    select
      count(*) as read,
      count(*) filter (deleted_at is not null) as deleted,
      count(*) filter (deleted_at is null and vanished_at is not null) as vanished,
      count(*) filter (
        deleted_at is null and vanished_at is null and is_merged_away(progress, creator_id, alert_cnt)
      ) as merged
    from incidents
  ),
  excluded as (
    select excluded_as, count(*) as excluded
    from incidents
    where deleted_at is null and vanished_at is null and not is_merged_away(progress, creator_id, alert_cnt)
      and excluded_as is not null
      and ($teams::varchar[] is null or list_contains($teams::varchar[], team_name))
      and ($severities::varchar[] is null or list_contains($severities::varchar[], incident_severity))
      and has_chosen($dimensions::varchar[], dimensions)
    group by excluded_as
  ),
  mine as (from scoped_incidents where period = 'current'),
  counted as (
    select
      count(*) as counted,
      count(*) filter (muted) as muted,
      count(*) filter (not muted and not acknowledged) as unacknowledged,
      (select count(*) from scoped_targets where series = 'current' and ack_outcome = 'ended_early') as ended_early,
      count(*) filter (is_open) as open,
      count(*) filter (not is_open and not handled_by_people and close_type <> 'auto_timeout') as unhandled,
      count(*) filter (close_type = 'auto_timeout') as timed_out,
      count(*) filter (tta = 0) as zero_ack,
      count(*) filter (ttr = 0) as zero_resolve,
      count(*) filter (is_closed_before_ack) as closed_before_ack,
      count(*) filter (is_negative_ack) as negative_ack,
      count(*) filter (is_negative_close) as negative_close,
      count(*) filter (is_negative_recover) as negative_recover,
      count(*) filter (is_conflict) as conflict
    from mine
  ),
  reopened as (
    select count(*) as reopened
    from incident_changes
    semi join mine using (account_id, incident_id)
    where reopen_count > 0
  ),
  steps(step, label, incidents) as (
    select
      unnest([
        {'step': 1, 'label': 'records in the period', 'n': read},
        {'step': 2, 'label': 'excluded: deleted', 'n': deleted},
        {'step': 3, 'label': 'excluded: removed from the service', 'n': vanished},
        {'step': 4, 'label': 'excluded: merged into another incident, which is included', 'n': merged},
        {
          'step': 5, 'label': 'excluded: other team or severity',
          'n': read - deleted - vanished - merged - counted
            - (select coalesce(sum(excluded), 0) from excluded)::bigint
        },
        {'step': 6, 'label': 'included', 'n': counted},
        {'step': 7, 'label': 'of which muted: in counts, not in times to acknowledge or resolve', 'n': muted},
        {'step': 8, 'label': 'of which never acknowledged', 'n': unacknowledged},
        {
          'step': 9, 'label': 'of which ended before the acknowledgement was due: not in shares within target',
          'n': ended_early
        },
        {'step': 10, 'label': 'of which still open: no time to resolve yet', 'n': open},
        {
          'step': 11, 'label': 'of which closed automatically: in “all closed”, not in “handled by a person”',
          'n': unhandled
        },
        {
          'step': 12, 'label': 'of which closed by a timer: in “all closed”, not in “handled by a person”',
          'n': timed_out
        },
        {
          'step': 13, 'label': 'of which reopened (lower bound): included once, measured to the last close',
          'n': reopened
        },
        {'step': 14, 'label': 'of which acknowledged after 0 s: included', 'n': zero_ack},
        {'step': 15, 'label': 'of which resolved after 0 s: included', 'n': zero_resolve},
        {
          'step': 16, 'label': 'of which closed before they were acknowledged: both times are used',
          'n': closed_before_ack
        },
        {'step': 17, 'label': 'invalid times excluded: acknowledged before it started', 'n': negative_ack},
        {'step': 18, 'label': 'invalid times excluded: closed before it started', 'n': negative_close},
        {'step': 19, 'label': 'invalid times excluded: recovered before it started', 'n': negative_recover},
        {'step': 20, 'label': 'state and close time contradict; the state is used', 'n': conflict}
      ], recursive := true)
    from base, counted, reopened
  ),
  named as (
    select step, label, incidents, null as exclusion, 0 as rank from steps
    union all
    select 5, 'excluded by the configuration: ' || name, coalesce(excluded, 0), name, rank
    from config_exclusions
    left join excluded on excluded_as = name
  )
select label, incidents, exclusion from named order by step, rank
