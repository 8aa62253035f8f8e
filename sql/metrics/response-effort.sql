-- Time that people had incidents in a period and worked on them, see response_spans. `effort_s` and `open_s` count
-- parallel incidents once, and `raw_effort_s` counts each of them.
-- question: How long do people have incidents and work on them?
-- key: account_id, person_id
-- columns:
-- account_id: owning account
-- person_id: the member
-- incidents: incidents this person worked on in the period
-- raw_effort_s: sum of the seconds from the acknowledgement to the close of each of these incidents
-- effort_s: seconds engaged, which means working on at least one of these incidents
-- open_s: seconds with at least one open incident assigned to this person
create or replace macro response_effort(
  period_from := null, period_to := null, of_incidents := 'incident_times'
) as table
with
  -- Incidents closed before the period have no span in it.
  population as (
    select account_id, incident_id, incident_severity, team_name, is_open, closed_at, as_of_at
    from query_table(of_incidents)
    where is_open or is_within(closed_at, period_from, null)
  ),
  spans as (
    select
      account_id,
      person_id,
      greatest(epoch(held_at), epoch(cast(period_from as timestamptz))) as open_from_s,
      case
        when started_at is not null then greatest(epoch(started_at), epoch(cast(period_from as timestamptz)))
      end as from_s,
      least(epoch(ended_at), epoch(cast(period_to as timestamptz))) as open_to_s,
      case when open_to_s > from_s then open_to_s end as to_s
    from response_spans(of_incidents := 'population')
  ),
  -- End of the earlier spans, whose time is not counted again.
  reached as (
    select
      *,
      max(to_s) over (
        partition by account_id, person_id
        order by from_s, to_s
        rows between unbounded preceding and 1 preceding
      ) as reached_s,
      max(open_to_s) over (
        partition by account_id, person_id
        order by open_from_s, open_to_s
        rows between unbounded preceding and 1 preceding
      ) as open_reached_s
    from spans
    where open_to_s > open_from_s
  ),
  final as (
    select
      account_id,
      person_id,
      count(to_s) as incidents,
      coalesce(sum(to_s - from_s), 0) as raw_effort_s,
      coalesce(sum(greatest(0, to_s - greatest(from_s, reached_s))), 0) as effort_s,
      sum(greatest(0, open_to_s - greatest(open_from_s, open_reached_s))) as open_s
    from reached
    group by account_id, person_id
  )
select * from final
