-- Not one span of time, in the shape that working_seconds and working_due read.
-- columns:
-- from_at: start
-- to_at: end, of working_seconds
-- target_s: seconds of working hours, of working_due
-- hours: name of the working hours; null counts all seconds
-- timezone: IANA time zone of their clock, see working_zone
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
