-- Time on the clock until a number of seconds of working hours has passed, for each row of a relation.
-- columns:
-- of_clocks: parameter: relation with from_at, target_s, hours (name of the working hours) and timezone (see
--   working_zone). Other columns are passed on
-- see no_spans: from_at
-- to_at: passed on, see no_spans
-- target_s: seconds of working hours
-- see working_spans: hours, timezone
-- due_s: seconds on the clock. If the seconds end with a working day, the due time is the start of the next one
create or replace macro working_due(of_clocks := 'no_spans') as table
with
  no_spans as (select * from no_spans()),
  working_spans as (select * from working_spans),
  asked as (select * from query_table(of_clocks)),
  counted as (
    select
      asked.*,
      first.before_s + least(epoch(asked.from_at) - epoch(first.opens_at), first.length_s) + asked.target_s as until_s
    from asked
    asof left join working_spans as first
      on first.hours = asked.hours and first.timezone = asked.timezone and asked.from_at >= first.opens_at
  ),
  final as (
    select
      counted.* exclude (until_s),
      epoch(last.opens_at) + until_s - last.before_s - epoch(counted.from_at) as due_s
    from counted
    asof left join working_spans as last
      on last.hours = counted.hours and last.timezone = counted.timezone and counted.until_s >= last.before_s
  )
select * from final
