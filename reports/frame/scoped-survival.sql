-- How long the incidents of the current period stayed open, by Kaplan and Meier: open ones are watched until the data
-- was read, and then leave. The rule is the one of survival_curve, for the chosen teams and severities.
-- seconds: since the start;  share: still open after that, 0 to 1
-- low, high: its 95 % interval on the log-log scale (Greenwood's variance); null where the share is 0 or 1
-- at_risk: seen open just before;  closed: closed at that time;  censored: last seen open at that time
with
  moments as (
    select survival_s as seconds, count(*) as leaving, count(*) filter (not is_open) as closed
    from scoped_incidents
    where period = 'current' and survival_s is not null
    group by survival_s
  ),
  risks as (
    select
      seconds,
      closed,
      leaving - closed as censored,
      sum(leaving) over (order by seconds desc)::bigint as at_risk
    from moments
  ),
  -- A product as a sum of logarithms; nobody left at risk is a share of 0, whose logarithm does not exist.
  logs as (
    select *, case when closed < at_risk then ln(1 - closed / at_risk) end as step,
      case when closed < at_risk then closed / (at_risk * (at_risk - closed)) end as variance
    from risks
  ),
  curve as (
    select
      seconds,
      at_risk,
      closed,
      censored,
      case when closed = at_risk then 0 else exp(sum(step) over (order by seconds)) end as share,
      sqrt(sum(variance) over (order by seconds)) as spread
    from logs
  )
select
  seconds,
  at_risk,
  closed,
  censored,
  share,
  case when share > 0 and share < 1 then pow(share, exp(-1.959964 * spread / ln(share))) end as low,
  case when share > 0 and share < 1 then pow(share, exp(1.959964 * spread / ln(share))) end as high
from curve
order by seconds
