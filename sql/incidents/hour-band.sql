-- The hour band of a local time (a TIMESTAMP without zone), by the table config_bands: of the bands that hold its
-- weekday and hour, the one with the lowest rank. `off` is the rest. On a day of the table config_holidays nobody
-- works: the next band holds. Null for no time.
-- rule: Hours: {hours}, in local time; what stands first goes first, the rest is off.
-- columns:
-- local_time: the time on the wall of the person or place asked about
create or replace macro hour_band(local_time) as
  case
    when local_time is not null then (
      -- One list for all rows, the week's hours and then the same hours of holidays, instead of a join for each.
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
