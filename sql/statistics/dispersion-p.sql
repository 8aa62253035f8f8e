-- Two-sided p value of a score with overdispersed events. It is the larger of the p by the normal distribution for
-- independent events and the p by Student's t with the variance times the dispersion. Weeks that happen to be similar
-- therefore never make a change more certain than independent events would. Null if there are no degrees of freedom.
-- Source: McCullagh and Nelder, Generalized Linear Models, 2nd ed., section 4.5.2.
-- columns:
-- score: difference in standard errors of independent events
-- dispersion: week_dispersion of the weeks, or null to treat the events as independent
create or replace macro dispersion_p(score, dispersion) as
  list_transform(
    [{'score': score, 'by': dispersion}],
    lambda given: case
      when given."by" is null or given."by".df >= 1 then greatest(
        normal_p(given.score), student_p(given.score / nullif(sqrt(given."by".phi), 0), given."by".df)
      )
    end
  )[1]
