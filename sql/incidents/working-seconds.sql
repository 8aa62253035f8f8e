-- Seconds of working hours between two times, for each row of a relation.
-- columns:
-- of_spans: parameter: relation with from_at, to_at, hours (name of the working hours, null for all seconds) and
--   timezone (see working_zone). Other columns are passed on
-- see no_spans: from_at
-- to_at: end of the span
-- target_s: passed on, see no_spans
-- see working_spans: hours, timezone
-- working_s: seconds, or null if a time is not set or is more than a year before the first incident
create or replace macro working_seconds(of_spans := 'no_spans') as table
with
  no_spans as (select * from no_spans()),
  working_spans as (select * from working_spans),
  asked as (select * from query_table(of_spans)),
  -- Rows that count all seconds do not need the spans.
  final as (
    select *, epoch(to_at) - epoch(from_at) as working_s
    from asked
    where hours is null
    union all
    select
      within_hours.*,
      last.before_s + least(epoch(within_hours.to_at) - epoch(last.opens_at), last.length_s)
        - first.before_s - least(epoch(within_hours.from_at) - epoch(first.opens_at), first.length_s)
    from (select * from asked where hours is not null) as within_hours
    asof left join working_spans as first
      on first.hours = within_hours.hours
      and first.timezone = within_hours.timezone
      and within_hours.from_at >= first.opens_at
    asof left join working_spans as last
      on last.hours = within_hours.hours
      and last.timezone = within_hours.timezone
      and within_hours.to_at >= last.opens_at
  )
select * from final
