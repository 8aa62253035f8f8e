-- Empty relation with the columns that working_seconds and working_due expect.
-- columns:
-- from_at: start
-- to_at: end, for working_seconds
-- target_s: seconds of working hours, for working_due
-- hours: name of the working hours, null for all seconds
-- timezone: IANA time zone of the working hours, see working_zone
create or replace macro no_spans() as table
with
  final as (
    select
      null::timestamptz as from_at,
      null::timestamptz as to_at,
      null::double as target_s,
      null::varchar as hours,
      null::varchar as timezone
    limit 0
  )
select * from final
