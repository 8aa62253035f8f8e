-- Spans of the configured working hours in every configured zone, from a year before the first incident to a year after
-- the data ends. Working hours are wall-clock hours, so a span over a clock change is shorter or longer. If an hour
-- occurs twice, the first occurrence counts. A skipped hour is replaced with the next hour. It is a step of
-- working_seconds and working_due.
-- columns:
-- hours: name of the working hours
-- timezone: IANA time zone of the working hours
-- opens_at: start of the span
-- length_s: length of the span in seconds
-- before_s: total length of all earlier spans in seconds
with
  config_working_hours as (select * from config_working_hours),
  config_working_zones as (select * from config_working_zones),
  config_holidays as (select * from config_holidays),
  reach as (
    select
      cast((select min(start_time) from incidents) - interval 366 day as date) as first_day,
      cast((select max(as_of_at) from as_of) + interval 366 day as date) as last_day
  ),
  days as (
    select cast(unnest(generate_series(first_day, last_day, interval 1 day)) as date) as day
    from reach
    where exists (select 1 from config_working_hours)
  ),
  local_spans as (
    select
      config_working_hours.name as hours,
      zones.timezone,
      unnest([
        {'is_start': true, 'local_time': day + to_minutes(opens_minute)},
        {'is_start': false, 'local_time': day + to_minutes(closes_minute)}
      ], recursive := true),
      day,
      opens_minute
    from config_working_hours
    join (select distinct name, timezone from config_working_zones) as zones using (name)
    join days on list_contains(weekdays, isodow(day))
    where day not in (select day from config_holidays)
  ),
  -- For an hour that occurs twice, DuckDB returns the second occurrence.
  ends as (
    select
      *,
      timezone(timezone, local_time) as later,
      case
        when timezone(timezone, later - interval 1 hour) = local_time then later - interval 1 hour
        when timezone(timezone, later - interval 30 minute) = local_time then later - interval 30 minute
        else later
      end as moment
    from local_spans
  ),
  spans as (
    select
      hours,
      timezone,
      min(moment) filter (is_start) as opens_at,
      epoch(min(moment) filter (not is_start)) - epoch(opens_at) as length_s
    from ends
    group by hours, timezone, day, opens_minute
  ),
  final as (
    select *, sum(length_s) over (partition by hours, timezone order by opens_at) - length_s as before_s
    from spans
    where length_s > 0
  )
select * from final
