-- A step of findings. Significant candidates that follow from another significant candidate.
-- columns:
-- of_tested: parameter: name of the relation of tested candidates, with the columns of no_tested
-- kind: kind of the candidate
-- topic: topic of the candidate
-- key: key of the candidate
-- reason: why it is not a finding of its own, in a few words. Untrusted text, because it can name a team or channel
create or replace macro giving_way(of_tested := 'no_tested') as table
with
  no_tested as (select * from no_tested()),
  sure as (
    select kind, topic, key, parent, subject, "within", is_worse, detail, amount, part, is_apart, log_ratio, value,
      before, n, value - before as more
    from query_table(of_tested)
    where is_sure
  ),
  moved as (
    from sure where kind in ('outside', 'month', 'week')
  ),
  explained as (
    select * from explained_wholes(of_tested := of_tested)
  ),
  wholes_of_few_parts as (
    select kind, topic, key from moved semi join explained using (kind, key)
  ),
  -- Also the wholes of these candidates, unless their own parts explain them.
  wholes_of_parts as (
    select kind, key, parent from moved
    union
    select parts.kind, parts.key, whole.parent
    from moved as parts
    join query_table(of_tested) as whole
      on whole.kind = parts.kind
      and whole.key = parts.parent
    anti join explained
      on explained.kind = whole.kind
      and explained.key = whole.parent
  ),
  -- Counts that include a part without incidents, if this part usually has 10% or more of them.
  counts_with_gaps as (
    select counts.kind, counts.topic, counts.key
    from sure as counts
    join sure as gap
      on gap.kind in ('gap', 'resumed')
      and (
        substr(gap.key, 5) in (counts.key, counts.parent)
        or (counts.key = gap.parent and gap.part >= 0.1)
        or (gap.amount >= 0.1 and (counts.topic in ('counts', 'severities') or starts_with(counts.topic, 'dimension ')))
      )
    where counts.kind in ('outside', 'month', 'week', 'trend')
  ),
  -- A channel that another team took over did not change. It explains changes of both teams if it has half of them.
  moved_channels as (
    select split_part(key, chr(31), 2) as taken_by, detail as left_by, subject as channel_name, "within" as day, value
    from sure
    where kind = 'moved'
  ),
  counts_of_moved_channels as (
    select own.kind, own.topic, own.key
    from sure as own
    join moved_channels as taken
      on case own.topic
        when 'teams' then own.subject in (taken_by, left_by) and case own.kind
          when 'gap' then own."within" >= (taken.day::date - 7)::varchar
          else 2 * taken.value >= abs(more)
        end
        else split_part(own.key, chr(31), 2) in (taken_by, left_by) and split_part(own.key, chr(31), 3) = channel_name
      end
    where own.topic in ('teams', 'sources', 'integrations')
      and own.kind in ('outside', 'month', 'week', 'gap', 'resumed', 'new')
  ),
  -- It still matters to a report on only one of the teams.
  channels_moved_before as (
    select kind, topic, key from sure where kind = 'moved' and n = 0 and amount = 0
  ),
  -- Only for wholes that parts of this topic do not explain. Integrations of a reported channel are always omitted. The
  -- only channel of a team has no peers, and differs from the others if its team does.
  parts_that_moved_as_all_did as (
    select
      parts.kind,
      parts.topic,
      parts.key,
      'part of ' || if(whole.key = 'all', 'all incidents', whole.subject) as reason
    from moved as parts
    join wholes_of_parts using (kind, key)
    join moved as whole
      on whole.kind = parts.kind
      and whole.key = wholes_of_parts.parent
      and whole.is_worse = parts.is_worse
    left join query_table(of_tested) as owner on owner.kind = parts.kind and owner.key = parts.parent
    anti join explained
      on explained.kind = whole.kind
      and explained.key = whole.key
      and explained.by_topic = parts.topic
    anti join counts_with_gaps as dropped on dropped.kind = whole.kind and dropped.key = whole.key
    where not coalesce(parts.is_apart, owner.is_apart, true) or parts.topic = 'integrations'
  ),
  -- A renamed severity makes another one grow.
  severities_of_new_names as (
    select kind, topic, key
    from sure
    where (topic = 'severities' or (kind = 'trend' and key <> 'trend all'))
      and kind in ('outside', 'month', 'week', 'trend')
      and exists (from sure where kind = 'renamed')
  ),
  -- Times whose change a card reports for all teams together.
  times_on_cards as (
    select if(detail in ('time_to_acknowledge', 'tta'), 'acknowledge', 'resolve') as topic, is_worse
    from sure
    where kind = 'shift' and topic = 'cards' and detail in ('time_to_acknowledge', 'tta', 'time_to_resolve', 'ttr')
  ),
  times_that_moved_as_a_card_did as (
    select kind, topic, key
    from sure
    semi join times_on_cards using (topic, is_worse)
    where kind = 'shift' and not is_apart
    union
    select 'most', topic, if(is_worse, 'worse', 'better')
    from widespread_shifts(of_tested := of_tested)
    semi join times_on_cards using (topic, is_worse)
  ),
  -- The same incidents, grouped in another way. The value of a dimension changed by about the same number as a team or
  -- channel, or as the value of another dimension.
  cut_another_way as (
    select own.kind, own.topic, own.key
    from moved as own
    join moved as other
      on other.kind = own.kind
      and other.is_worse = own.is_worse
      and (other.topic in ('teams', 'sources') or (starts_with(other.topic, 'dimension ') and other.topic < own.topic))
      and abs(own.more - other.more) < 0.2 * abs(own.more)
    where starts_with(own.topic, 'dimension ')
  ),
  -- Increases in only the last weeks, if the subject, a part or its whole has increased over a longer time.
  last_weeks_of_more as (
    select recent.kind, recent.topic, recent.key
    from moved as recent
    join moved as longer
      on longer.is_worse
      and (longer.kind = 'outside' or (longer.kind = 'month' and recent.kind = 'week'))
      and (longer.key = recent.key or longer.parent = recent.key or longer.key = recent.parent)
    where recent.kind in ('month', 'week')
  ),
  -- An alert, channel or team with most incidents, if at least half of them belong to a spike.
  most_in_a_spike as (
    select kind, topic, key from sure where kind = 'dominant' and part >= 0.5
  ),
  -- A team, its channel and its alert that have mostly the same incidents. The alert or the channel is more specific.
  -- The names of the topics `families`, `sources` and `teams` sort from the most specific to the least.
  most_of_the_same as (
    select whole.kind, whole.topic, whole.key
    from sure as whole
    join sure as part using (kind)
    where kind = 'dominant'
      and part.topic < whole.topic
      and part.value >= 0.8 * whole.value
      and part.value + whole.value > whole.before
  ),
  -- Times to resolve say little about people if a timer closes incidents.
  times_of_a_timer as (
    select kind, topic, key
    from (
      select kind, topic, key from sure where kind in ('shift', 'apart')
      union all
      select 'most', topic, if(is_worse, 'worse', 'better') from widespread_shifts(of_tested := of_tested)
    )
    where topic = 'resolve' and exists (from sure where kind = 'timer')
  ),
  mix_of_what_moved as (
    select kind, topic, key
    from sure
    where kind = 'mix'
      and exists (
        from sure
        where kind in ('outside', 'month', 'week', 'new', 'renamed') or (kind = 'gap' and topic = 'severities')
      )
  ),
  trends_of_what_moved as (
    select kind, topic, key
    from sure
    where kind = 'trend' and is_worse in (select is_worse from moved)
  ),
  hours_of_what_moved as (
    select kind, topic, key
    from sure
    where topic = 'hours'
      and kind = 'outside'
      and is_worse in (
        select is_worse
        from moved
        where topic in ('teams', 'sources', 'integrations') or starts_with(topic, 'dimension ')
      )
  ),
  shifts_of_most_teams as (
    select kind, topic, key
    from sure
    semi join widespread_shifts(of_tested := of_tested) as most using (topic, is_worse)
    where kind = 'shift' and topic <> 'cards'
  ),
  -- If several people of a team get far more night pages than an even share, only the one with the most is reported.
  others_of_a_crew as (
    select kind, topic, key
    from sure
    where kind = 'concentrated'
    qualify row_number() over (partition by topic, "within" order by log_ratio desc, key) > 1
  ),
  cards_of_few_parts as (
    select 'shift' as kind, 'cards' as topic, card as key
    from counts_on_cards(of_tested := of_tested)
    semi join explained using (kind, key)
  ),
  -- One finding is about all new teams. It explains a whole if they have at least half of the increase.
  new_teams as (
    select max(value) as value from sure where kind = 'new'
  ),
  parts_of_new_teams as (
    select parts.kind, parts.topic, parts.key
    from moved as parts
    left join query_table(of_tested) as team on team.kind = parts.kind and team.key = parts.parent
    join new_teams on new_teams.value > 0
    where parts.is_worse
      and (
        (parts.topic = 'teams' and parts.detail is not null)
        or (team.topic = 'teams' and team.detail is not null)
      )
  ),
  wholes_of_new_teams as (
    select kind, topic, key from moved join new_teams on more <= 2 * new_teams.value where topic = 'counts' and is_worse
    union
    select 'shift', 'cards', card
    from counts_on_cards(of_tested := of_tested) as counts
    join new_teams on counts.value - before <= 2 * new_teams.value
    where is_worse
  ),
  reasons as (
    select kind, topic, key, 'explained by its parts' as reason from wholes_of_few_parts
    union all by name
    select *, 'part of the new teams' as reason from parts_of_new_teams
    union all by name
    select kind, topic, key, 'explained by new teams' as reason from wholes_of_new_teams
    union all by name
    from parts_that_moved_as_all_did
    union all by name
    select *, 'the same change as on a card' as reason from times_that_moved_as_a_card_did
    union all by name
    select *, 'part of a change by team or channel' as reason from cut_another_way
    union all by name
    select *, 'part of a longer increase' as reason from last_weeks_of_more
    union all by name
    select *, 'part of a spike' as reason from most_in_a_spike
    union all by name
    select *, 'the same incidents as another finding' as reason from most_of_the_same
    union all by name
    select *, 'touched by a timer' as reason from times_of_a_timer
    union all by name
    select *, 'part of an increase or decrease' as reason from trends_of_what_moved
    union all by name
    select *, 'part of an increase or decrease' as reason from hours_of_what_moved
    union all by name
    select *, 'part of another change of counts' as reason from mix_of_what_moved
    union all by name
    select *, 'part of a change of most teams' as reason from shifts_of_most_teams
    union all by name
    select *, 'explained by its parts' as reason from cards_of_few_parts
    union all by name
    select *, 'another person of the team has more' as reason from others_of_a_crew
    union all by name
    select *, 'before this period' as reason from channels_moved_before
    union all by name
    select *, 'touched by a moved channel' as reason from counts_of_moved_channels
    union all by name
    select *, 'touched by renamed severities' as reason from severities_of_new_names
    union all by name
    select *, 'touched by a data gap' as reason from counts_with_gaps
  ),
  final as (
    select kind, topic, key, min_by(reason, (not starts_with(reason, 'touched'), reason)) as reason
    from reasons
    group by kind, topic, key
  )
select * from final
