-- Whether an incident belongs to a spike of its period, see scoped_bursts. `at_local` is its local time.
create or replace temp macro is_in_spike(of_period, at_local, of_team, of_channel) as exists (
  from scoped_bursts as spike
  where spike.period = of_period
    and at_local >= spike.from_day
    and at_local < spike.to_day
    and (spike.is_of_all or (spike.team_name = of_team and spike.channel_name = of_channel))
);
