-- How long work stays open, by Kaplan and Meier: the share of incidents still open t_s seconds after start_time, one
-- row per time at which an incident closed or was last seen open. An open incident counts as open until as_of and then
-- leaves, and so does what a timer closed, when it was closed; closed-only medians read far too low when much is open.
-- At equal times closes count before departures.
-- Incidents without a survival_s (negative, or closed without close_time) and muted ones are left out. The curve says
-- nothing behind its last row. Source: Kaplan and Meier 1958, product limit; the interval is Greenwood's variance on
-- the log-log scale (Kalbfleisch and Prentice 1980).
-- rule: Survival: the share still open after a time, by Kaplan and Meier: what is open counts as open until the data
--   was read, and then leaves. What a timer closed leaves when it was closed, and is not taken for resolved.
-- rule: Interval of survival: Greenwood's variance on the log-log scale, 95 %; that of its median is where the ends of
--   the curve cross one half.
-- rule: see incident_changes
-- columns:
-- of_severity: parameter: only this severity; null is all
-- of_team: parameter: only this team_name; null is all
-- of_account: parameter: only this account_id; null is all
-- of_muted: parameter: true speaks of the muted ones alone
-- started_from: parameter: only incidents started then or later; null is all
-- started_to: parameter: only incidents started before; null is all
-- of_incidents: parameter: relation to speak of, with the columns of incident_times; a CTE will do
-- t_s: seconds since start_time
-- at_risk: incidents seen open just before t_s
-- closed: incidents closed at t_s
-- censored: incidents last seen open, or closed by a timer, at t_s
-- survival: share still open after t_s, 0 to 1
-- survival_low: lower end of its 95 % interval; null where the share is 0 or 1
-- survival_high: upper end of its 95 % interval; null where the share is 0 or 1
create or replace macro survival_curve(
  of_severity := null, of_team := null, of_account := null, of_muted := false, started_from := null, started_to := null,
  of_incidents := 'incident_times'
) as table
with
  population as (select * from query_table(of_incidents)),
  moments as (
    select
      survival_s as t_s,
      count(*) as leaving,
      count(*) filter (not is_open and close_type is distinct from 'auto_timeout') as closed
    from population
    where survival_s is not null
      and is_muted = of_muted
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
  -- A product as a sum of logarithms; nobody left at risk is a share of 0, whose logarithm does not exist.
  steps as (
    select
      *,
      case when closed < at_risk then ln(1 - closed / at_risk) end as step,
      case when closed < at_risk then closed / (at_risk * (at_risk - closed)) end as variance
    from risks
  ),
  curve as (
    select
      t_s,
      at_risk,
      closed,
      leaving - closed as censored,
      case when closed = at_risk then 0 else exp(sum(step) over (order by t_s)) end as survival,
      sqrt(sum(variance) over (order by t_s)) as spread
    from steps
  ),
  final as (
    select
      t_s,
      at_risk,
      closed,
      censored,
      survival,
      case
        when survival > 0 and survival < 1 then pow(survival, exp(-1.959964 * spread / ln(survival)))
      end as survival_low,
      case
        when survival > 0 and survival < 1 then pow(survival, exp(1.959964 * spread / ln(survival)))
      end as survival_high
    from curve
  )
select * from final
