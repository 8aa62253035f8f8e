-- Months of a year, with or without incidents: the twelve months up to the end of the period, and the months that began
-- since. None is before the start of the data.
-- month: its first day. is_partial: it is not over yet, or was read only in part
with
  span as (
    select
      date_trunc('month', timezone($timezone, $period_end::timestamptz)) - interval 12 month as year_ago,
      greatest(year_ago, timezone($timezone, $covered_from::timestamptz)) as first_local,
      timezone($timezone, least($as_of::timestamptz, $scope_end::timestamptz)) as seen_local
  ),
  months as (
    select
      unnest(generate_series(
        date_trunc('month', first_local), seen_local - interval 1 microsecond, interval 1 month
      )) as month
    from span
  ),
  gaps as (
    select timezone($timezone, gap_from) as gap_from_local, timezone($timezone, gap_to) as gap_to_local
    from unread_within($period_end::timestamptz - interval 13 month, $scope_end::timestamptz)
  )
select
  month::date as month,
  month < first_local
    or month + interval 1 month > seen_local
    or exists (from gaps where gap_from_local < month + interval 1 month and gap_to_local > month) as is_partial
from months, span
order by month
