-- Hour band of a local time (a TIMESTAMP without zone), from the table config_bands. If several bands include the
-- weekday and hour, the band with the lowest rank applies. All other hours are `off`. On a day in config_holidays, the
-- band `work` is skipped. Null if the time is null.
-- rule: Hours: {hours}, in local time. The first match applies, and all other hours are off hours.
-- columns:
-- local_time: wall-clock time of the person or place
create or replace macro hour_band(local_time) as
  case
    when local_time is not null then (
      -- Uses one list for all rows instead of a join per row. The list contains the hours of a week, then those of a
      -- week of holidays.
      select list(hours.band order by hours.place)
      from (
        select slots.place, arg_min(config_bands.band, config_bands.rank) as band
        from generate_series(0, 335) as slots(place)
        left join config_bands
          on list_contains(config_bands.weekdays, slots.place // 24 % 7 + 1)
          and slots.place % 24 >= config_bands.from_hour
          and slots.place % 24 < config_bands.to_hour
          and (config_bands.band <> 'work' or slots.place < 168)
        group by slots.place
      ) as hours
    )[
      1 + 24 * (isodow(local_time) - 1) + hour(local_time)
      + case when cast(local_time as date) in (select day from config_holidays) then 168 else 0 end
    ]
  end
