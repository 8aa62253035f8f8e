import { namesOfAutomation } from '../../definitions/custom-definitions-sql.ts'
import { closestMatch } from '../../errors.ts'
import { teamsIn, valuesIn } from '../../report/scope/report-filters.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import { parserOn } from '../../warehouse/read/session-parser.ts'
import { type CheckResult, failed, ok, warn } from './check-result.ts'

interface Named {
  readonly of: string
  readonly names: readonly string[]
  readonly known: readonly string[]
  /** Start of the message. The name follows. */
  readonly problem: string
  /** Whether names are compared without case. */
  readonly isLoose?: boolean
}

/** Checks that the teams, dimension values, members and integrations in the configuration exist. */
export async function checkNames(reader: Reader, settings: Settings): Promise<CheckResult[]> {
  try {
    const all = [
      ...(await teamsNamed(reader, settings)),
      ...(await valuesNamed(reader, settings)),
      ...(await automationNamed(reader, settings)),
    ].filter(({ names }) => names.length > 0)
    if (all.length === 0) return []
    const found = all.flatMap(({ of, names, known, problem, isLoose }) =>
      [...new Set(names)]
        .filter((name) => !known.includes(name) && !(isLoose && known.some((one) => isAlike(one, name))))
        .map((name) => {
          const next = closestMatch(name, [...known]) ?? `Correct \`${of}\`.`
          return warn('names', `${of}: ${problem} "${name}"`, next)
        }),
    )
    return found.length > 0 ? found : [ok('names', 'all configured names exist')]
  } catch (error) {
    return [failed('names', error)]
  }
}

async function teamsNamed(reader: Reader, { ownTargets, workingZones, onCall }: Settings): Promise<Named[]> {
  const ofTargets = ownTargets.flatMap(({ scope, value }) => (scope === 'team' ? [value] : []))
  const ofZones = workingZones.flatMap(({ team_name }) => team_name ?? [])
  const ofOnCall = onCall.map(({ team_name }) => team_name)
  if (ofTargets.length + ofZones.length + ofOnCall.length === 0) return []
  const known = (await teamsIn(reader)).map(({ name }) => name)
  const team = { known, problem: 'no incident belongs to team' }
  return [
    { of: 'reporting.targets.teams', names: ofTargets, ...team },
    { of: 'reporting.teamZones', names: ofZones, ...team },
    { of: 'reporting.onCall', names: ofOnCall, ...team },
  ]
}

async function valuesNamed(reader: Reader, { ownTargets }: Settings): Promise<Named[]> {
  const scopes = new Set(ownTargets.map(({ scope }) => scope).filter((scope) => scope !== 'team'))
  return Promise.all(
    [...scopes].map(async (scope) => ({
      of: `reporting.targets.dimensions.${scope}`,
      names: ownTargets.flatMap((one) => (one.scope === scope ? [one.value] : [])),
      known: await valuesIn(reader, scope),
      problem: `no incident has the ${scope}`,
    })),
  )
}

async function automationNamed(reader: Reader, { automation }: Settings): Promise<Named[]> {
  const problem = {
    member: 'unknown member',
    integration: 'no incident belongs to integration',
  } as const
  return Promise.all(
    (['member', 'integration'] as const).map(async (kind) => {
      const names = automation.filter((one) => one.kind === kind).map(({ value }) => value)
      const known = names.length > 0 ? await namesOfAutomation(parserOn(reader), kind) : []
      return { of: `reporting.automation.${kind}s`, names, known, problem: problem[kind], isLoose: true }
    }),
  )
}

const isAlike = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()
