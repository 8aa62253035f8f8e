-- Kaplan–Meier curve of the incidents of the current period, see survival_curve.
-- seconds: since the start. share: share still open after that, 0 to 1. low, high: its 95% CI
-- at_risk: known to be open just before. closed: closed at that time. censored: censored at that time
-- rule: see survival_curve
with counted as (from scoped_incidents where period = 'current')
select t_s as seconds, at_risk, closed, censored, survival as share, survival_low as low, survival_high as high
from survival_curve(of_incidents := 'counted')
order by seconds
