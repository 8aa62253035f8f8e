-- Half-width of a 95% CI in standard errors by Student's t. It approaches z95 for many degrees of freedom and is larger
-- for few. Source: Abramowitz and Stegun, table 26.10 up to 30, and the expansion 26.7.5 from there.
-- columns:
-- df: degrees of freedom, rounded down. Below 1 the result is null
create or replace macro t95(df) as
  case
    when df < 1 then null
    when df < 31 then [
      12.7062e0, 4.3027e0, 3.1824e0, 2.7764e0, 2.5706e0, 2.4469e0, 2.3646e0, 2.3060e0, 2.2622e0, 2.2281e0, 2.2010e0,
      2.1788e0, 2.1604e0, 2.1448e0, 2.1314e0, 2.1199e0, 2.1098e0, 2.1009e0, 2.0930e0, 2.0860e0, 2.0796e0, 2.0739e0,
      2.0687e0, 2.0639e0, 2.0595e0, 2.0555e0, 2.0518e0, 2.0484e0, 2.0452e0, 2.0423e0
    ][cast(floor(df) as bigint)]
    else z95() + (pow(z95(), 3) + z95()) / (4 * floor(df))
      + (5 * pow(z95(), 5) + 16 * pow(z95(), 3) + 3 * z95()) / (96 * pow(floor(df), 2))
  end
