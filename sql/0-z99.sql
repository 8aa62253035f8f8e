-- How many standard deviations either side of the middle hold 99 % of a normal distribution: what is called better, worse or
-- changed is so with that confidence.
create or replace macro z99() as 2.5758e0
