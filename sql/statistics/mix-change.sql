-- Whether a mix (for example of severities) changed from the first to the second half of a period. It is Pearson's χ²
-- of parts and halves, divided by the variation of the mix between the weeks of a half, as Fisher's F. That variation
-- is the χ² of parts and weeks within the halves over its degrees of freedom, at least 1. Incidents that occur together
-- therefore do not look like a change. Null below 3 weeks or 8 in a half, or with a single part. Source: McCullagh and
-- Nelder, Generalized Linear Models, 2nd ed., section 5.5.
-- rule: Mix: χ² test of the severity mix in the two halves of the period, scaled by the variation between weeks (F
--   test).
-- columns:
-- of_counts: parameter: name of the relation of counts, with the columns of no_counts
-- n_first: count in the first half of the weeks
-- n_second: count in the second half, which includes a week in the middle
-- parts: number of parts
-- chi: Pearson's χ² of parts and halves
-- phi: variation of the mix between weeks relative to chance, at least 1
-- df: degrees of freedom of phi
-- p: p value of the difference between the halves
create or replace macro mix_change(of_counts := 'no_counts') as table
with
  no_counts as (select * from no_counts()),
  counts as (select week, part, n from query_table(of_counts)),
  places as (
    select week, 2 * row_number() over (order by week) > weeks as is_second
    from (select distinct week from counts)
    cross join (select count(distinct week) as weeks from counts)
  ),
  weekly as (
    select week, is_second, part, cast(sum(n) as double) as n
    from counts
    join places using (week)
    group by all
    having sum(n) > 0
  ),
  halves as (select is_second, part, sum(n) as n from weekly group by all),
  half_sums as (select is_second, sum(n) as n, count(*) as parts from halves group by all),
  week_sums as (select is_second, week, sum(n) as n from weekly group by all),
  parts as (select part, sum(n) as n from halves group by part),
  sums as (select sum(n) as n, count(*) as parts from parts),
  -- Σ (n - e)² / e equals Σ n² / e minus the total, so empty cells need no row.
  between_halves as (
    select sum(halves.n * halves.n / (half_sums.n * parts.n / sums.n)) - any_value(sums.n) as chi
    from halves
    join half_sums using (is_second)
    join parts using (part)
    cross join sums
  ),
  between_weeks as (
    select sum(weekly.n * weekly.n / (week_sums.n * halves.n / half_sums.n)) as squares
    from weekly
    join week_sums using (is_second, week)
    join halves using (is_second, part)
    join half_sums using (is_second)
  ),
  freedom as (
    select sum((weeks - 1) * (parts - 1)) as df, min(weeks) as weeks, min(n) as least_n, count(*) as halves
    from (select is_second, count(*) as weeks from week_sums group by is_second)
    join half_sums using (is_second)
  ),
  varied as (
    select *, greatest(1e0, (squares - n) / nullif(df, 0)) as phi
    from between_halves, between_weeks, freedom, sums
  ),
  final as (
    select
      cast((select n from half_sums where not is_second) as bigint) as n_first,
      cast((select n from half_sums where is_second) as bigint) as n_second,
      parts,
      greatest(0e0, chi) as chi,
      phi,
      cast(df as bigint) as df,
      f_p(greatest(0e0, chi) / (parts - 1) / phi, parts - 1, df) as p
    from varied
    where halves = 2 and weeks >= 3 and least_n >= 8 and parts >= 2
  )
select * from final
