import type { Config } from '../../config/config.ts'
import { ConfigError, errorText, FaultlineError, unknownName } from '../../errors.ts'
import { namesIn } from '../../report/parse/parameters.ts'
import { accountsIn, pickAccounts, pickTeams, teamsIn, valuesIn } from '../../report/scope/report-filters.ts'
import { folderName } from '../../site/folder-name.ts'
import { choosePart, type ReportPart } from '../../site/output-folders.ts'
import { teamFolder } from '../../site/team-folders.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import type { Context } from '../context.ts'
import type { ReportOptions } from './report-options.ts'

interface ChosenParts {
  /** The part that the options select: all incidents, an account, a team or a dimension value. */
  readonly main: ReportPart
  readonly teams: readonly ReportPart[]
  readonly values: readonly ReportPart[]
  /** Exit status: not 0 if a configured team is unknown. */
  readonly status: number
}

/** Returns which teams, accounts and dimension values get pages. @throws ConfigError for an unknown name */
export async function chooseParts(
  context: Context,
  config: Config,
  reader: Reader,
  options: ReportOptions,
  hasFiles: boolean,
): Promise<ChosenParts> {
  const chosen = await choosePart(reader, options)
  // A folder given with --to contains only these pages, so they need no subfolder.
  const main = options.to === undefined || chosen.kind === 'all' ? chosen : { ...chosen, folder: '' }
  const { kind } = chosen
  if (!hasFiles) {
    const asked = options.teams ? '--teams' : options.pages === undefined ? undefined : '--pages'
    if (asked === undefined) return { main, teams: [], values: [], status: 0 }
    throw new ConfigError(`${asked} requires a file format.`, { next: 'Add --format html.' })
  }
  const wanted = kind === 'all' || kind === 'account' ? (options.teams ?? config.reporting.teams) : false
  const { teams, status } = await teamParts(context, reader, options, wanted)
  const values = kind === 'all' ? await valueParts(reader, dimensionsToMake(config, options.pages)) : []
  return { main, teams, values, status }
}

/**
 * @param wanted true for all teams, false for none, otherwise names; an unknown name is reported and makes the exit
 * status nonzero
 */
async function teamParts(
  { console }: Context,
  reader: Reader,
  { account }: ReportOptions,
  wanted: boolean | readonly string[],
): Promise<{ teams: ReportPart[]; status: number }> {
  if (wanted === false) return { teams: [], status: 0 }
  const accounts = await accountsIn(reader)
  const chosen = pickAccounts(accounts, account)
  const all = await teamsIn(reader)
  const names = new Set(wanted === true ? all.map(({ name }) => name) : [])
  let status = 0
  for (const one of wanted === true ? [] : wanted) {
    try {
      for (const name of (await pickTeams(reader, [one])) ?? []) names.add(name)
    } catch (error) {
      if (!(error instanceof FaultlineError)) throw error
      console.error(errorText(error))
      status = error.exitCode
    }
  }
  const teams = all.flatMap((team): ReportPart[] => {
    const own = chosen.find(({ id }) => id === team.account)
    if (!own || !names.has(team.name)) return []
    const folder = teamFolder(team, all)
    // If the warehouse has only one account, no account filter is needed.
    const part = { name: team.name, folder, account: accounts.length > 1 ? own : null }
    return [{ ...part, kind: 'team', options: { team: [team.name] } }]
  })
  return { teams, status }
}

async function valueParts(reader: Reader, dimensions: readonly string[]): Promise<ReportPart[]> {
  const parts: ReportPart[] = []
  for (const dimension of dimensions) {
    for (const name of await valuesIn(reader, dimension)) {
      const folder = `${dimension}/${folderName(name)}`
      const options = { dimensions: { [dimension]: [name] } }
      parts.push({ kind: 'value', name, folder, account: null, options })
    }
  }
  return parts
}

/** Returns the dimensions whose values get pages. @throws ConfigError if a dimension is unknown */
function dimensionsToMake({ reporting, settings }: Config, named: string | undefined): readonly string[] {
  const known = settings.dimensions.map(({ name }) => name)
  const wanted = namesIn(named) ?? (named === undefined ? reporting.pages : known)
  const unknown = wanted.find((one) => !known.includes(one))
  if (unknown === undefined) return wanted
  throw new ConfigError(`Unknown dimension "${unknown}".`, {
    next: known.length > 0 ? unknownName(unknown, known) : 'Define it in `reporting.dimensions`.',
    field: 'reporting.pages',
  })
}
