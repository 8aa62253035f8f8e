-- Effect of the mix on the change of durations. It reports the changes within the parts of each series (for example
-- severities), and the change at the mix of the previous period, with each part weighted by its share then. Only parts
-- with 8 or more durations in both periods are included, and only series with several such parts. See duration_changes.
-- Source: Simpson 1951, J. R. Stat. Soc. B 13, 238-241; direct standardization, Kitagawa 1955, J. Am. Stat. Assoc. 50,
-- 1168-1194.
-- columns:
-- of_observations: parameter: name of the relation of durations, with the columns of no_observations and `part`
-- series: the series
-- parts: number of parts
-- parts_less: number of parts that are shorter or possibly shorter
-- parts_more: number of parts that are longer or possibly longer
-- at_mix: current median at the mix of the previous period, divided by the current median
create or replace macro duration_mix(of_observations := 'no_observations') as table
with
  no_observations as (select * from no_observations()),
  mixed as (select * from ((select null::bigint as part limit 0) union all by name from query_table(of_observations))),
  known_parts as (
    select series, part, sum(n) filter (not is_now) / sum(n) filter (is_now) as weight
    from mixed
    where part is not null and place >= 0
    group by series, part
    having sum(n) filter (is_now) >= 8 and sum(n) filter (not is_now) >= 8
    qualify count(*) over (partition by series) > 1
  ),
  part_observations as (
    select {'of': series, 'part': part} as series, is_now, place, seconds, is_open, n
    from mixed
    semi join known_parts using (series, part)
  ),
  part_changes as (
    select
      series['of'] as series,
      count(*) as parts,
      count(*) filter (certainty > 0 and direction < 0) as parts_less,
      count(*) filter (certainty > 0 and direction > 0) as parts_more
    from duration_changes(of_observations := 'part_observations')
    group by series['of']
  ),
  weighed as (
    select series, if(is_open, cast('infinity' as double), seconds) as seconds, n, n * weight as n_at_mix
    from mixed
    join known_parts using (series, part)
    where is_now
  ),
  remixed as (
    select
      series,
      seconds,
      sum(sum(n)) over upwards / sum(sum(n)) over (partition by series) as reached,
      sum(sum(n_at_mix)) over upwards / sum(sum(n_at_mix)) over (partition by series) as reached_at_mix
    from weighed
    group by series, seconds
    window upwards as (partition by series order by seconds rows unbounded preceding)
  ),
  mixes as (
    select
      series,
      min(seconds) filter (reached_at_mix >= 0.5 - 1e-9) / nullif(min(seconds) filter (reached >= 0.5 - 1e-9), 0)
        as at_mix
    from remixed
    group by series
  ),
  final as (
    select series, parts, parts_less, parts_more, at_mix from part_changes left join mixes using (series)
  )
select * from final
