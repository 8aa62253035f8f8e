-- Half-width of a 95% CI for overdispersed events, in standard errors of independent events. It is z95, or t95 times
-- the root of the dispersion, whichever is larger. Null if there are no degrees of freedom.
-- columns:
-- dispersion: week_dispersion of the weeks, or null to treat the events as independent
create or replace macro dispersion_z95(dispersion) as
  list_transform(
    [dispersion],
    lambda given: case
      when given is null or given.df >= 1 then greatest(z95(), t95(given.df) * sqrt(given.phi))
    end
  )[1]
