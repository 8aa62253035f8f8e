-- Effective sample size of events that are correlated within weeks. It is n over the dispersion of the weeks, which is
-- at least 1 and is raised if there are few weeks (t in place of the normal distribution).
-- columns:
-- n: number of events
-- dispersion: week_dispersion of the weeks, or null to treat the events as independent
create or replace macro effective_n(n, dispersion) as
  n / greatest(1, coalesce(dispersion.phi * pow(t95(dispersion.df) / z95(), 2), 1))
