-- A step of findings, the first. Candidates with q, the p value adjusted by the method of Benjamini and Hochberg for
-- all tests of a page, cards included. Each kind and topic is weighted by its share of the error budget, see
-- error_share. Source: Benjamini and Hochberg 1995, J. R. Stat. Soc. B 57, 289-300; Genovese, Roeder and Wasserman
-- 2006, Biometrika 93, 509-524.
-- columns:
-- of_candidates: parameter: name of the relation of candidates, with the columns of no_candidates
-- see no_candidates: kind, topic, key, parent, within, value, before, estimate, low, high, p, n, is_worse, detail,
--   amount, part, is_standing, is_apart
-- subject: see no_candidates, untrusted text
-- q: p value adjusted for all tests of the page, or null for a fact that needs no test
-- is_sure: q is below 0.05, or it is a fact
-- log_ratio: logarithm of the estimate, limited to one millionth and one million, or 0 if there is no estimate
create or replace macro tested_candidates(of_candidates := 'no_candidates') as table
with
  no_candidates as (select * from no_candidates()),
  candidates as materialized (select * from query_table(of_candidates)),
  sorts as (
    select kind, topic, count(*) as looked_at, error_share(kind, topic) as budget
    from candidates
    where p is not null
    group by kind, topic
  ),
  weighed as (
    select candidates.*, p * looked_at * (select sum(budget) from sorts) / budget as expected
    from candidates
    join sorts using (kind, topic)
    where p is not null
  ),
  ranked as (
    select *, row_number() over (order by expected, kind, topic, key) as place from weighed
  ),
  -- Number of chance findings to expect among k findings, if the k-th smallest value is the limit.
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
