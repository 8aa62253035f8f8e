-- The hour band of a local time (a TIMESTAMP without zone): `sleep` is 23 to 8 daily, `work` is Monday to Friday 8 to
-- 19, `off` is the rest. Sleep wins over work, work over off. Hours count from 0; a band holds its first hour and not
-- its last; sleep may run over midnight. Null for no time.
-- columns:
-- local_time: the time on the wall of the person or place asked about
-- work_from: first hour of work
-- work_to: first hour after work
-- sleep_from: first hour of sleep
-- sleep_to: first hour after sleep
create or replace macro hour_band(local_time, work_from := 8, work_to := 19, sleep_from := 23, sleep_to := 8) as
  case
    when local_time is null then null
    when sleep_from > sleep_to and (hour(local_time) >= sleep_from or hour(local_time) < sleep_to) then 'sleep'
    when hour(local_time) >= sleep_from and hour(local_time) < sleep_to then 'sleep'
    when isodow(local_time) <= 5 and hour(local_time) >= work_from and hour(local_time) < work_to then 'work'
    else 'off'
  end
