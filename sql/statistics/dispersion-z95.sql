-- How many standard errors of independent events either side hold 95 %, where events come in bursts: z95, or t95 times
-- the root of the dispersion, whichever is wider. Null without degrees of freedom.
-- columns:
-- dispersion: week_dispersion of the weeks; null takes the events as independent
create or replace macro dispersion_z95(dispersion) as
  case when dispersion is null or dispersion.df >= 1 then
    greatest(z95(), t95(dispersion.df) * sqrt(dispersion.phi))
  end
