-- A step of findings. Wholes that changed because a few of their parts changed. Either one part equals the whole, or
-- less than half of the change remains without the parts that moved the same way. These parts are at most three and at
-- most half of all parts.
-- columns:
-- of_tested: parameter: name of the relation of tested candidates, with the columns of no_tested
-- kind: `outside`, `month` or `week`
-- key: key of the whole
-- by_topic: topic of the parts
create or replace macro explained_wholes(of_tested := 'no_tested') as table
with
  no_tested as (select * from no_tested()),
  moved as (
    select kind, topic, key, parent, value, before, is_worse, log_ratio
    from query_table(of_tested)
    where is_sure and kind in ('outside', 'month', 'week')
  ),
  wholes as (
    select kind, key, value, before, is_worse, log_ratio from moved
    union
    select kind, key, value, before, is_worse, log_ratio from counts_on_cards(of_tested := of_tested)
  ),
  siblings as (
    select kind, topic, parent, count(*) as siblings
    from query_table(of_tested)
    where parent is not null
    group by kind, topic, parent
  ),
  -- Parts that changed in the same direction as the whole. The ratio of days is value / before divided by the estimate.
  parted as (
    select
      whole.kind,
      whole.key,
      parts.topic as by_topic,
      any_value(whole.log_ratio) as log_ratio,
      any_value(whole.value) / greatest(1, any_value(whole.before)) / exp(any_value(whole.log_ratio)) as days_ratio,
      greatest(1, any_value(whole.value) - sum(parts.value)) as value_left,
      greatest(1, any_value(whole.before) - sum(parts.before)) as before_left,
      count(*) <= 3 and 2 * count(*) <= any_value(siblings.siblings) as are_few,
      bool_or(parts.value = whole.value and (whole.kind <> 'outside' or parts.before = whole.before)) as is_one_part
    from wholes as whole
    join moved as parts
      on parts.parent = whole.key
      and parts.kind = whole.kind
      and parts.is_worse = whole.is_worse
      and parts.key <> whole.key
    join siblings
      on siblings.kind = parts.kind
      and siblings.topic = parts.topic
      and siblings.parent = parts.parent
    group by whole.kind, whole.key, parts.topic
  ),
  final as (
    select kind, key, by_topic
    from parted
    where is_one_part
      or (are_few and sign(log_ratio) * ln(value_left / before_left / days_ratio) < 0.5 * abs(log_ratio))
  )
select * from final
