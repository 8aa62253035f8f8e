-- The hour band of a local time (a TIMESTAMP without zone), by the table config_bands: of the bands that hold its weekday
-- and hour, the one with the lowest rank. By default `sleep` is 23 to 8 daily, `work` is Monday to Friday 8 to 19, `off`
-- is the rest. On a day of the table config_holidays nobody works: the next band holds. Null for no time.
-- columns:
-- local_time: the time on the wall of the person or place asked about
create or replace macro hour_band(local_time) as
  case
    when local_time is not null then (
      select arg_min(config_bands.band, config_bands.rank)
      from config_bands
      where list_contains(config_bands.weekdays, isodow(local_time))
        and hour(local_time) >= config_bands.from_hour
        and hour(local_time) < config_bands.to_hour
        and (
          config_bands.band <> 'work'
          or cast(local_time as date) not in (select day from config_holidays)
        )
    )
  end
