-- A step of findings, the first: candidates with their q, which is p with all that were looked at counted, by Benjamini
-- and Hochberg, over all of a page: its cards too. Each sort of them (a kind and topic) weighs what its part of what
-- may be wrong is, see error_share. Source: Benjamini and Hochberg 1995, J. R. Stat. Soc. B 57, 289-300; Genovese,
-- Roeder and Wasserman 2006, Biometrika 93, 509-524.
-- columns:
-- of_candidates: parameter: name of the relation of candidates, with the columns of no_candidates
-- see no_candidates: kind, topic, key, parent, within, value, before, estimate, low, high, p, n, is_worse, detail,
--   amount, is_default, is_standing, is_apart
-- subject: see no_candidates; hostile text
-- q: p with all of the page counted; null for a fact that needs no test
-- is_sure: 95 % speak for it, or it is a fact
-- log_ratio: the logarithm of the estimate, from one in a million to a million; 0 where there is none
create or replace macro tested_candidates(of_candidates := 'no_candidates') as table
with
  candidates as materialized (select * from query_table(of_candidates)),
  sorts as (
    select kind, topic, count(*) as looked_at, error_share(kind, topic) as part
    from candidates
    where p is not null
    group by kind, topic
  ),
  weighed as (
    select candidates.*, p * looked_at * (select sum(part) from sorts) / part as expected
    from candidates
    join sorts using (kind, topic)
    where p is not null
  ),
  ranked as (
    select *, row_number() over (order by expected, kind, topic, key) as place from weighed
  ),
  -- With the place-th smallest as the limit one expects that many chance finds in place finds.
  corrected as (
    select
      * exclude (expected, place),
      min(least(1, expected / place)) over (order by place desc rows unbounded preceding) as q
    from ranked
  ),
  facts as (
    select *, null::double as q from candidates where p is null
  ),
  final as (
    select
      *,
      q is null or q < 0.05 as is_sure,
      ln(greatest(1e-6, least(1e6, coalesce(estimate, 1)))) as log_ratio
    from (from corrected union all by name from facts)
  )
select * from final
