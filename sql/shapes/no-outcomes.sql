-- Empty relation with the columns that teams_behind expects.
-- columns:
-- series: period of the incidents, of any type
-- measure: `acknowledge` or `resolve`
-- incident_severity: severity whose target applies
-- team_name: owning team, untrusted text
-- place: week of the period, see week_of_period
-- n: incidents that met or missed their target
-- met: incidents that met it
create or replace macro no_outcomes() as table
with
  final as (
    select
      '' as series, '' as measure, '' as incident_severity, '' as team_name, 0::bigint as place, 0::bigint as n,
      0::bigint as met
    limit 0
  )
select * from final
