-- How long work stays open, by Kaplan and Meier: the share of incidents still open t_s seconds after start_time, one
-- row per time at which an incident closed or was last seen open. An open incident counts as open until as_of and then
-- leaves; closed-only medians read far too low when much is open. At equal times closes count before departures.
-- Incidents without a survival_s (negative, or closed without close_time) are left out. The curve says nothing behind
-- its last row. Source: Kaplan and Meier 1958, product limit.
-- columns:
-- of_severity: parameter: only this severity; null is all
-- of_team: parameter: only this team_name; null is all
-- of_account: parameter: only this account_id; null is all
-- started_from: parameter: only incidents started then or later; null is all
-- started_to: parameter: only incidents started before; null is all
-- t_s: seconds since start_time
-- at_risk: incidents seen open just before t_s
-- closed: incidents closed at t_s
-- censored: incidents last seen open at t_s
-- survival: share still open after t_s, 0 to 1
create or replace macro survival_curve(
  of_severity := null, of_team := null, of_account := null, started_from := null, started_to := null
) as table
with
  incident_times as (select * from incident_times),
  moments as (
    select
      survival_s as t_s,
      count(*) as leaving,
      count(*) filter (not is_open) as closed
    from incident_times
    where survival_s is not null
      and (of_severity is null or incident_severity = of_severity)
      and (of_team is null or team_name = of_team)
      and (of_account is null or account_id = of_account)
      and (started_from is null or start_time >= started_from)
      and (started_to is null or start_time < started_to)
    group by survival_s
  ),
  risks as (
    select *, cast(sum(leaving) over (order by t_s desc) as bigint) as at_risk
    from moments
  ),
  final as (
    select
      t_s,
      at_risk,
      closed,
      leaving - closed as censored,
      product(1 - closed / at_risk) over (order by t_s) as survival
    from risks
  )
select * from final
