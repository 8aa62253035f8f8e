-- The headline time to resolve (MTTR), one row: of incidents that people handled, or that are still open; muted ones
-- are left out. While less than a tenth of them is open it is the median of the closed ones. From a tenth on that would
-- read too low, since the long ones are not over yet: then it is the median of survival_summary, which counts them, and
-- the closed ones alone stand beside it.
-- question: How long does it take people to resolve an incident, open ones considered?
-- rule: Time to resolve: from start to close, incidents that people handled: acknowledged, or closed by hand. While
--   less than a tenth of the period is open it is the median of those closed, else the median of survival; the period
--   before is told by the same rule.
-- columns:
-- by_survival: parameter: true takes the median of survival in any case, false never; null goes by how much is open
-- closed: incidents closed, with a time
-- open: incidents still open
-- open_share: open / (closed + open), 0 to 1; null without any
-- is_survival: a tenth or more is open (or by_survival says so), so that median_s is the one of survival
-- median_s: the headline, seconds; null is "not reached" when is_survival
-- median_low_s: lower end of its 95 % interval
-- median_high_s: upper end of its 95 % interval; null is "not reached" when is_survival
-- closed_median_s: median of the closed ones alone, seconds
-- rule: which median it is and why, in words
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
  -- Nothing is to be watched where the closed ones speak for all.
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
        when counted.closed + counted.open = 0 then 'of none, as people handled no incident'
        when is_survival and survived.median_s is null
          then 'by survival (Kaplan-Meier), and not reached, as too many are still open'
        when is_survival then 'by survival (Kaplan-Meier), which counts what is still open, as that is a tenth or more'
        else 'of those closed, as less than a tenth is still open'
      end as rule
    from counted
    cross join survived
  )
select * from final
