import type { Parser } from './parse-tree.ts'

/** Finds pairs of custom targets that differ, but apply to the same incidents. */
const CONFLICTS = `
  with own as (from config_own_targets),
  places as (select team_name, dimensions, count(*) as incidents from incident_times group by all),
  held as (
    select own.*, team_name, dimensions, incidents
    from places
    join own on value = if(scope = 'team', team_name, dimensions[scope])
  )
  select
    one.severity || ' incidents of ' || one.scope || ' ' || one.value || ' and '
      || other.scope || ' ' || other.value,
    if(one.measure = 'ack', 'acknowledge', 'resolve'),
    sum(one.incidents)
  from held as one
  join held as other
    on one.team_name = other.team_name
    and one.dimensions is not distinct from other.dimensions
    and one.severity = other.severity
    and one.measure = other.measure
    and one.rank < other.rank
  where not one.overrides and not other.overrides
    and (one.target_s is distinct from other.target_s or one.hours is distinct from other.hours)
  group by all
  order by all`

/** Returns a message for each pair of conflicting targets. */
export async function targetConflicts(parser: Parser): Promise<string[]> {
  const found = await parser.runAndReadAll(CONFLICTS)
  return found
    .getRows()
    .map(
      ([which, what, count]) =>
        `${which} have two targets to ${what}. The stricter one applies (incidents in both: ${count})`,
    )
}
