-- Half-width of a 95% CI in standard deviations of a normal distribution, rounded as in textbooks. Every 95% CI of
-- these definitions uses it.
create or replace macro z95() as 1.96e0
