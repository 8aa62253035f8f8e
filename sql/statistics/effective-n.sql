-- As many independent ones as so many that come in weeks tell: n over the dispersion of their weeks, which is taken to
-- be at least 1 and, where few weeks tell it, larger (t in place of the normal distribution).
-- columns:
-- n: how many there are
-- dispersion: week_dispersion of their weeks; null takes them as independent
create or replace macro effective_n(n, dispersion) as
  n / greatest(1, coalesce(dispersion.phi * pow(t95(dispersion.df) / z95(), 2), 1))
