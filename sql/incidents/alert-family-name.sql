-- Name of a family of alerts. It is the text before the first `…`, without a preposition or comparison at its end, if
-- that has three words or more. Otherwise it is the whole family.
-- rule: Alert: all incidents whose titles differ only in numbers and ids.
-- columns:
-- family: parameter: see alert_family, untrusted text
create or replace macro alert_family_name(family) as
  list_transform(
    [regexp_replace(
      split_part(family, '…', 1),
      '(?i)(?:[\s:,([]+(?:is|are|above|below|over|under|at|in|on|of|for|from|by|to|than|after))*[\s:,([-]*$',
      ''
    )],
    lambda start: if(contains(family, '…') and len(string_split(start, ' ')) >= 3, start, family)
  )[1]
