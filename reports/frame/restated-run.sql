-- Figures of the previous run for the same period and scope, one row per figure. A run on the same data is only used if
-- its definitions differed, so that repeating a report changes nothing.
with
  same as (
    select *
    from report_runs
    where report = $report
      and period_from = $period_from::date
      and period_to = $period_to::date
      and timezone = $timezone
      and account = $account
      and team = $team
      and severity = $severity
      and (as_of_at < $as_of or as_of_at = $as_of and definition <> $definition)
  ),
  last_run as (
    select run_key from same order by as_of_at desc, ran_at desc, run_key desc limit 1
  )
select figure, label, value, n, as_of_at, ran_at, definition
from same
semi join last_run using (run_key)
