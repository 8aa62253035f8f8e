-- How many standard deviations either side of the middle hold 95 % of a normal distribution, as the textbooks round it:
-- every 95 % interval of these definitions is that wide.
create or replace macro z95() as 1.96e0
