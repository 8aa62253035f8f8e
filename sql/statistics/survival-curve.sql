-- Kaplan–Meier share of incidents still open t_s seconds after start_time, one row per time at which an incident closed
-- or was censored. Open incidents are right-censored at as_of, and incidents closed by a timer at their close. Medians
-- of closed incidents alone are far too low if many are open. At equal times closes count before censored incidents.
-- Incidents without a survival_s (negative, or closed without close_time) and muted ones are excluded. The curve is
-- unknown after its last row. Source: Kaplan and Meier 1958, product limit. The CI uses Greenwood's variance on the
-- log-log scale (Kalbfleisch and Prentice 1980).
-- rule: Survival: Kaplan–Meier share still open after a given time. Open incidents are right-censored at the time of
--   the last read. Incidents closed by a timer are right-censored at that close, not counted as resolved.
-- rule: Interval of survival: 95% CI from Greenwood's variance on the log-log scale. The CI of the median is the range
--   between the points where the limits of the curve cross 50%.
-- rule: see incident_changes
-- columns:
-- of_severity: parameter: only this severity, null for all
-- of_team: parameter: only this team_name, null for all
-- of_account: parameter: only this account_id, null for all
-- of_muted: parameter: true for muted incidents only, instead of unmuted ones
-- started_from: parameter: only incidents started then or later, null for all
-- started_to: parameter: only incidents started before, null for all
-- of_incidents: parameter: relation to read, with the columns of incident_times. It can be a CTE
-- t_s: seconds since start_time
-- at_risk: incidents known to be open just before t_s
-- closed: incidents closed at t_s
-- censored: incidents last known to be open, or closed by a timer, at t_s
-- survival: share still open after t_s, 0 to 1
-- survival_low: lower limit of its 95% CI, or null if the share is 0 or 1
-- survival_high: upper limit of its 95% CI, or null if the share is 0 or 1
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
  -- A product as a sum of logarithms. A share of 0 has no logarithm.
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
