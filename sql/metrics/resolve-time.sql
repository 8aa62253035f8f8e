-- Headline time to resolve (MTTR), one row, for incidents handled by people or still open. Muted incidents are
-- excluded. If fewer than 10% are open, the headline is the median of the closed incidents. From 10% on, that median
-- would be too low, because long incidents are not closed yet. The headline is then the median of survival_summary,
-- which includes open incidents, and the median of the closed incidents is shown beside it.
-- question: How long does it take people to resolve an incident, with open ones considered?
-- rule: Time to resolve: from start to close, for incidents handled by a person (acknowledged or closed manually). If
--   fewer than 10% of the period are open, it is the median of closed incidents, otherwise the Kaplan–Meier median. The
--   previous period uses the same rule.
-- columns:
-- by_survival: parameter: true always uses the median of survival, false never does. Null decides by open_share
-- closed: closed incidents with a time
-- open: incidents still open
-- open_share: open / (closed + open), 0 to 1, or null if both are 0
-- is_survival: 10% or more are open (or by_survival is set), so median_s is the median of survival
-- median_s: headline in seconds. If is_survival, null means “not reached”
-- median_low_s: lower limit of its 95% CI
-- median_high_s: upper limit of its 95% CI. If is_survival, null means “not reached”
-- closed_median_s: median of the closed incidents alone in seconds
-- rule: explanation of which median is the headline
create or replace macro resolve_time(
  started_from := null, started_to := null, of_incidents := 'incident_times', by_survival := null
) as table
with
  population as (
    from incidents_in(of_incidents := of_incidents, started_from := started_from, started_to := started_to)
  ),
  counted as (
    select
      count(time_to_resolve_s) as closed,
      count(*) filter (is_open) as open,
      open / nullif(closed + open, 0) as open_share,
      coalesce(by_survival, open > 0 and 10 * open >= closed + open) as is_survival,
      median(time_to_resolve_s) as closed_median_s,
      quantile_interval(time_to_resolve_s, 0.5) as closed_interval
    from population
    where not is_muted
  ),
  -- Empty if the median of closed incidents is used.
  watched as (
    select * from population where (select is_survival from counted) and (is_open or is_handled_by_people)
  ),
  survived as (select * from survival_summary(of_incidents := 'watched')),
  final as (
    select
      counted.closed,
      counted.open,
      counted.open_share,
      is_survival,
      case when is_survival then survived.median_s else closed_median_s end as median_s,
      case when is_survival then survived.median_low_s else closed_interval.low end as median_low_s,
      case when is_survival then survived.median_high_s else closed_interval.high end as median_high_s,
      closed_median_s,
      case
        when counted.closed + counted.open = 0 then 'of no incidents, because none was handled by a person'
        when is_survival and survived.median_s is null
          then 'of all incidents (Kaplan–Meier estimate), which is unknown, because too many are still open'
        when is_survival then 'of all incidents (Kaplan–Meier estimate), because 10% or more are still open'
        else 'of closed incidents, because fewer than 10% are still open'
      end as rule
    from counted
    cross join survived
  )
select * from final
