-- Summary of the survival curve in one row. See survival_curve for the rule and the parameters.
-- question: How long do incidents stay open, including those open now?
-- rule: see p90
-- columns:
-- of_severity: parameter: only this severity, null for all
-- of_team: parameter: only this team_name, null for all
-- of_account: parameter: only this account_id, null for all
-- of_muted: parameter: true for muted incidents only, instead of unmuted ones
-- started_from: parameter: only incidents started then or later, null for all
-- started_to: parameter: only incidents started before, null for all
-- of_incidents: parameter: relation to read, with the columns of incident_times. It can be a CTE
-- n: incidents observed
-- closed: closed incidents
-- censored: incidents still open at as_of, or closed by a timer
-- median_s: first time at which at most half are still open, in seconds. Null means “not reached”
-- median_low_s: lower limit of its 95% CI (Brookmeyer and Crowley), where the lower limit of the curve falls to 50%
-- median_high_s: upper limit, where the upper limit of the curve falls to 50%. Null means “not reached”
-- survival_1h: share still open after 1 h, 0 to 1, or null if the curve ends earlier
-- survival_24h: share still open after 24 h, 0 to 1, or null if the curve ends earlier
create or replace macro survival_summary(
  of_severity := null, of_team := null, of_account := null, of_muted := false, started_from := null, started_to := null,
  of_incidents := 'incident_times'
) as table
with
  survival_curve as (
    select *
    from survival_curve(
      of_severity := of_severity, of_team := of_team, of_account := of_account, of_muted := of_muted,
      started_from := started_from, started_to := started_to, of_incidents := of_incidents
    )
  ),
  -- The curve only falls, so its value at a time is the minimum up to then. A curve that reaches 0 stays at 0.
  final as (
    select
      coalesce(max(at_risk), 0) as n,
      cast(coalesce(sum(closed), 0) as bigint) as closed,
      cast(coalesce(sum(censored), 0) as bigint) as censored,
      -- Products of fractions miss 0.5 by a rounding error.
      min(t_s) filter (survival <= 0.5 + 1e-12) as median_s,
      min(t_s) filter (survival_low <= 0.5) as median_low_s,
      min(t_s) filter (survival_high <= 0.5) as median_high_s,
      case
        when max(t_s) >= 3600 or min(survival) < 1e-12 then coalesce(min(survival) filter (t_s <= 3600), 1)
      end as survival_1h,
      case
        when max(t_s) >= 86400 or min(survival) < 1e-12 then coalesce(min(survival) filter (t_s <= 86400), 1)
      end as survival_24h
    from survival_curve
  )
select * from final
