-- How likely so large a score is by chance, where events come in bursts: by the normal distribution, as of independent
-- events, and by Student's t with the variance times the dispersion, whichever is the larger. So weeks that happen to
-- be alike make no change more certain than independent events would. Null without degrees of freedom. Source:
-- McCullagh and Nelder, Generalized Linear Models, 2nd ed., section 4.5.2.
-- columns:
-- score: the difference in standard errors of independent events
-- dispersion: week_dispersion of the weeks; null takes the events as independent
create or replace macro dispersion_p(score, dispersion) as
  case when dispersion is null or dispersion.df >= 1 then
    greatest(normal_p(score), student_p(score / nullif(sqrt(dispersion.phi), 0), dispersion.df))
  end
