import { namesOfAutomation } from '../../definitions/custom-definitions-sql.ts'
import { closestMatch } from '../../errors.ts'
import { teamsIn, valuesIn } from '../../report/scope/report-filters.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import { objectsOf } from '../../warehouse/read/rows-to-objects.ts'
import { parserOn } from '../../warehouse/read/session-parser.ts'
import { type CheckResult, ok, warn } from './check-result.ts'

interface Named {
  readonly field: string
  readonly names: readonly string[]
  /** The names in the warehouse. */
  readonly known: readonly string[]
  /** Start of the message about an unknown name. */
  readonly problem: string
  readonly ignoresCase?: boolean
}

export async function checkNames(reader: Reader, settings: Settings): Promise<CheckResult[]> {
  const all = [
    ...(await teamsNamed(reader, settings)),
    ...(await valuesNamed(reader, settings)),
    ...(await automationNamed(reader, settings)),
  ].filter(({ names }) => names.length > 0)
  if (all.length === 0) return []
  const found = all.flatMap(({ field, names, known, problem, ignoresCase }) => {
    const folded = (name: string) => (ignoresCase ? name.toLowerCase() : name)
    const present = new Set(known.map(folded))
    const unknown = [...new Set(names)].filter((name) => !present.has(folded(name)))
    return unknown.map((name) => {
      const next = closestMatch(name, known) ?? `Correct \`${field}\`.`
      return warn('names', `${field}: ${problem} "${name}"`, next)
    })
  })
  return found.length > 0 ? found : [ok('names', 'all configured names exist')]
}

async function teamsNamed(reader: Reader, { ownTargets, workingZones, onCall }: Settings): Promise<Named[]> {
  const fields: [string, string[]][] = [
    ['targets.teams', ownTargets.flatMap(({ scope, value }) => (scope === 'team' ? [value] : []))],
    ['teamZones', workingZones.flatMap(({ team_name }) => team_name ?? [])],
    ['onCall', onCall.map(({ team_name }) => team_name)],
  ]
  if (fields.every(([, names]) => names.length === 0)) return []
  const known = (await teamsIn(reader)).map(({ name }) => name)
  const problem = 'no incident belongs to team'
  return fields.map(([field, names]) => ({ field: `reporting.${field}`, names, known, problem }))
}

async function valuesNamed(reader: Reader, { ownTargets }: Settings): Promise<Named[]> {
  const scopes = new Set(ownTargets.map(({ scope }) => scope).filter((scope) => scope !== 'team'))
  return Promise.all(
    [...scopes].map(async (scope) => ({
      field: `reporting.targets.dimensions.${scope}`,
      names: ownTargets.flatMap((one) => (one.scope === scope ? [one.value] : [])),
      known: await valuesIn(reader, scope),
      problem: `no incident has the ${scope}`,
    })),
  )
}

const PROBLEMS = { member: 'unknown member', integration: 'no incident belongs to integration' } as const

async function automationNamed(reader: Reader, { automation }: Settings): Promise<Named[]> {
  return Promise.all(
    (['member', 'integration'] as const).map(async (kind) => {
      const names = automation.filter((one) => one.kind === kind).map(({ value }) => value)
      const known = names.length > 0 ? await namesOfAutomation(parserOn(reader), kind) : []
      const field = `reporting.automation.${kind}s`
      return { field, names, known, problem: PROBLEMS[kind], ignoresCase: true }
    }),
  )
}

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
