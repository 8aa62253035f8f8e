-- Empty relation with the columns that count_candidates expects.
-- columns:
-- topic: kind of subject, such as `teams` or `sources` (see no_candidates)
-- key: key of the subject
-- parent: key of the whole that the subject is a part of, or null if none
-- subject: name of the subject
-- is_share: compare the subject's share of the topic instead of its rate per day, because an hour has more incidents if
--   all hours have more
-- period: `current`, `previous` or `earlier` (weeks before both, if known for the topic)
-- place: week of its period, see week_of_period
-- n: count. A missing row is 0
create or replace macro no_subject_counts() as table
with
  final as (
    select
      '' as topic, '' as key, null::varchar as parent, '' as subject, false as is_share, '' as period,
      0::bigint as place,
      0::bigint as n
    limit 0
  )
select * from final
