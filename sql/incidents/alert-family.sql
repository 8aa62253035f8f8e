-- The family of an alert title. Parts that differ between alerts of one rule become `…`. These are ids, dates, times,
-- addresses, cloud regions, and numbers with their unit. Digits attached to letters stay, as in p99, 5xx and s3. Two
-- titles are of one family if the result is the same. One pattern with all parts is several times as fast as one for
-- each.
-- columns:
-- title: parameter: title of an incident, untrusted text
create or replace macro alert_family(title) as
  regexp_replace(
    title,
    '(?:\B[-+])?\b(?:'
      -- UUIDs
      || '(?i:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})'
      -- Dates, with or without a time, and times
      || '|\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?'
      || '|\d{1,2}:\d{2}(?::\d{2})?'
      -- IP addresses, with or without a port
      || '|\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?'
      -- Cloud regions and zones, such as us-east-1 and europe-west1-b
      || '|[a-z]{2,12}-(?:gov-)?(?:north|south|east|west|central)+-?\d+(?:-?[a-f])?'
      -- Hexadecimal ids of four characters or more, with a letter and a digit
      || '|(?i:(?:\d+[a-f]|[a-f]+\d)[0-9a-f]{2,})'
      -- Numbers, with their unit
      || '|\d+(?:[.,]\d+)*(?: ?(?:ns|µs|us|ms|s|sec|min|m|h|d|[kKMGT]i?B?|B|rps|qps'
      || '|(?:second|minute|hour|day|week|month)s?))?'
      || ')\b(?: ?%)?',
    '…',
    'g'
  )
