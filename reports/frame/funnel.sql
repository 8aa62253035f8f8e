-- From what was read to what was counted, for the incidents of the period.
with
  incidents as (
    select * from cohort_incidents where counted_at >= $period_start and counted_at < $period_end
  ),
  counted as (select * from scoped_incidents where period = 'current'),
  steps(step, label, incidents) as (
    select 1, 'in the period, as read from the service', count(*) from incidents
    union all select 2, 'left out: deleted', count(*) from incidents where deleted_at is not null
    union all select 3, 'left out: no longer known to the service', count(*) from incidents where deleted_at is null and vanished_at is not null
    union all
      select 4, 'left out: another team or severity than chosen',
        (select count(*) from incidents where deleted_at is null and vanished_at is null) - (select count(*) from counted)
    union all select 5, 'counted', count(*) from counted
    union all select 6, 'of these muted: in volume, not in acknowledgement', count(*) from counted where muted
    union all select 7, 'of these never acknowledged', count(*) from counted where not muted and not acknowledged
    union all select 8, 'of these still open: no time to resolve yet', count(*) from counted where is_open
    union all select 9, 'of these closed without anyone: in all closed, not in handled by people', count(*) from counted where not is_open and not handled_by_people
    union all select 10, 'bad times left out: acknowledged before it started', count(*) from counted where is_negative_ack
    union all select 11, 'bad times left out: closed before it started', count(*) from counted where is_negative_close
    union all select 12, 'bad times left out: recovered before it started', count(*) from counted where is_negative_recover
    union all select 13, 'progress and close time disagree; progress wins', count(*) from counted where is_conflict
  )
select label, incidents from steps order by step
