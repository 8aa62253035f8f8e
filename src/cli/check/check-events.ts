import { closestMatch } from '../../errors.ts'
import { teamsIn } from '../../report/scope/report-filters.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import { type CheckResult, ok, warn } from './check-result.ts'

/** Checks that the teams of configured events exist. */
export async function checkEvents(reader: Reader): Promise<CheckResult[]> {
  const events = objectsOf(await reader.query('from config_events'))
  if (events.length === 0) return []
  const known = (await teamsIn(reader)).map(({ name }) => name)
  const strange = events.flatMap(({ name, team_names }) =>
    (Array.isArray(team_names) ? team_names.map(String) : [])
      .filter((team) => !known.includes(team))
      .map((team) => ({ name: String(name), team })),
  )
  if (strange.length === 0) return [ok('events', `${events.length} configured, all their teams exist`)]
  const message = strange.map(({ name, team }) => `"${name}": no incident belongs to team "${team}"`)
  const next = closestMatch(strange[0]!.team, known) ?? 'Correct the team names in `reporting.events`.'
  return [warn('events', message.join('; '), next)]
}
