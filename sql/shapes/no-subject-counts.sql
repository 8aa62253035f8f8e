-- Not one weekly count, in the shape that count_candidates reads: a relation with these columns is what it has to be
-- given.
-- columns:
-- topic: kind of subject: `teams`, `sources` … (see no_candidates)
-- key: of the subject
-- parent: key of what it is a part of; null for none
-- subject: its name
-- is_share: more or fewer is by its part of the topic, not by days: an hour has more when all have
-- period: `current`, `previous` or `earlier` (weeks before both, where they are known of the topic)
-- place: week of its period, see week_of_period
-- n: how many; a missing row is none
with
  final as (
    select
      '' as topic, '' as key, null::varchar as parent, '' as subject, false as is_share, '' as period,
      0::bigint as place,
      0::bigint as n
    limit 0
  )
select * from final
