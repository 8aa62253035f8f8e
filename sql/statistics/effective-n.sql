-- Effective sample size of events that are correlated within weeks. It is n divided by the dispersion of the weeks. The
-- dispersion is at least 1, and larger if there are few weeks (t instead of the normal distribution).
-- columns:
-- n: number of events
-- dispersion: week_dispersion of the weeks, or null to treat the events as independent
create or replace macro effective_n(n, dispersion) as
  n / greatest(1, coalesce(dispersion.phi * pow(t95(dispersion.df) / z95(), 2), 1))
