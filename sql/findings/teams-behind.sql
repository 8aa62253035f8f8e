-- The share of each team within its targets, compared with all teams for the same severities. The test is that of
-- Mantel and Haenszel, adjusted for overdispersion between the weeks of all series. Source: Mantel and Haenszel 1959,
-- J. Natl. Cancer Inst. 22, 719-748. Teams with fewer than 8 incidents are not compared.
-- columns:
-- of_outcomes: parameter: name of the relation of outcomes, with the columns of no_outcomes
-- see no_outcomes: series
-- measure: `acknowledge` or `resolve`
-- team_name: owning team, untrusted text
-- n: its incidents that met or missed their target
-- share: share of these that met it, 0 to 1
-- others_share: share of all other teams, 0 to 1
-- behind: share minus the share expected from all teams for the same severities. Negative if the team is worse
-- p: p value of this difference, or null if the team has too few weeks
create or replace macro teams_behind(of_outcomes := 'no_outcomes') as table
with
  no_outcomes as (select * from no_outcomes()),
  outcomes as (select * from query_table(of_outcomes)),
  strata as (
    select
      series,
      measure,
      team_name,
      sum(n)::double as n,
      sum(met)::double as met,
      sum(sum(n)) over together as n_of_all,
      sum(sum(met)) over together as met_of_all
    from outcomes
    group by series, measure, incident_severity, team_name
    window together as (partition by series, measure, incident_severity)
  ),
  teams as (
    select
      series,
      measure,
      team_name,
      sum(n) as n,
      sum(met) as met,
      sum(n * met_of_all / n_of_all) as expected,
      -- A severity with a single incident adds nothing.
      sum(
        n * (n_of_all - n) * met_of_all * (n_of_all - met_of_all) / nullif(pow(n_of_all, 2) * (n_of_all - 1), 0)
      ) as variance
    from strata
    group by series, measure, team_name
  ),
  weekly as (
    select series, measure, team_name, list({'hits': met, 'n': n} order by place) as weeks
    from (select series, measure, team_name, place, sum(n) as n, sum(met) as met from outcomes group by all)
    group by series, measure, team_name
  ),
  dispersions as (
    select measure, team_name, share_dispersion(list(weeks order by series desc), of_change := false) as dispersion
    from weekly
    group by measure, team_name
  ),
  totals as (
    select series, measure, sum(n) as n, sum(met) as met from teams group by series, measure
  ),
  final as (
    select
      series,
      measure,
      team_name,
      teams.n as n,
      teams.met / teams.n as share,
      (totals.met - teams.met) / nullif(totals.n - teams.n, 0) as others_share,
      (teams.met - expected) / teams.n as behind,
      case when dispersion.df >= 1 then greatest(
        dispersion_p((teams.met - expected) / sqrt(variance), dispersion),
        binomial_p(teams.met, teams.n, expected / teams.n)
      ) end as p
    from teams
    join dispersions using (measure, team_name)
    join totals using (series, measure)
    where teams.n >= 8 and variance > 0 and team_name not in ('(no channel)', '(unknown)')
  )
select * from final
