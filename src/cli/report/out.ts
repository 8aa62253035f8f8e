import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { folderName } from '../../delivery/folder-name.ts'
import { placeTeams, teamFolder, teamsFolder } from '../../delivery/team-pages.ts'
import { chosenFolder, placeValues, valueFolder } from '../../delivery/value-folders.ts'
import { type Asked, namesIn } from '../../report/parse/parameters.ts'
import {
  accountsIn,
  type KnownTeam,
  pickAccounts,
  pickTeams,
  teamsIn,
  valuesIn,
} from '../../report/scope/chosen.ts'
import type { Reader } from '../../warehouse/read/reader.ts'

/**
 * The folder that pages go to: the one that was named, else the configured one. Those of chosen teams have a folder of
 * their own in it, `teams/payments`, so that they do not replace the pages of all teams.
 * @throws ConfigError for a team or an account that the warehouse does not hold
 */
export async function outFolder(
  reader: Reader,
  config: Pick<Config, 'out'>,
  {
    out,
    team,
    account,
    dimensions = {},
  }: { readonly [option in 'out' | 'team' | 'account']?: string | undefined } & {
    readonly dimensions?: Readonly<Record<string, string>> | undefined
  },
): Promise<string> {
  if (out !== undefined) return out
  const names = await pickTeams(reader, team)
  const chosen: [name: string, values: string[]][] = []
  for (const [name, text] of Object.entries(dimensions)) {
    const values = namesIn(text, await valuesIn(reader, name))
    if (values) chosen.push([name, values])
  }
  const [[dimension, values] = ['', []]] = chosen
  if (chosen.length === 1 && values.length === 1 && names === null) {
    const known = placeValues(config.out, dimension, await valuesIn(reader, dimension))
    // One that is not there is told where it is asked for.
    const one = known.find(({ name }) => name === values[0])
    return one ? valueFolder(config.out, dimension, one) : join(config.out, dimension)
  }
  if (chosen.length > 0)
    return join(config.out, chosenFolder(Object.fromEntries(names ? [...chosen, ['team', names]] : chosen)))
  if (names === null) return config.out
  const teams = (await teamsOfAccounts(reader, account)).filter(({ name }) => names.includes(name))
  const [one, ...others] = teams
  if (!one || others.length > 0) return teamsFolder(config.out, names)
  const addresses = placeTeams(config.out, [one])
  return teamFolder(
    config.out,
    addresses.find((each) => each.account === one.account && each.name === one.name)!,
  )
}

/** The teams of the accounts that were named; of all without it. */
export async function teamsOfAccounts(reader: Reader, wanted: Asked): Promise<KnownTeam[]> {
  const accounts = pickAccounts(await accountsIn(reader), wanted).map(({ id }) => id)
  return (await teamsIn(reader)).filter(({ account }) => accounts.includes(account))
}

/** The folder of an account's own pages. Accounts may share a name, and no number. */
export function accountFolder({ id, name }: { id: string; name: string }): string {
  return id === name ? id : `${folderName(name)}-${id}`
}
