import { namesIn } from '../report/parse/parameters.ts'
import {
  accountsIn,
  type KnownAccount,
  pickAccounts,
  pickDimensions,
  pickTeams,
  teamsIn,
} from '../report/scope/report-filters.ts'
import type { Reader } from '../warehouse/read/reader.ts'
import { folderName, plainName, selectionFolder } from './folder-name.ts'
import { TEAMS, teamFolder } from './team-folders.ts'

/** A selection of incidents that has its own report pages and folder, such as the incidents of one team. */
export interface ReportPart {
  readonly kind: 'all' | 'team' | 'value' | 'account' | 'selection'
  /** Display name. Null for all incidents and for a selection. */
  readonly name: string | null
  /** Folder of the pages, relative to the reports folder. Empty for all incidents. */
  readonly folder: string
  readonly account: KnownAccount | null
  readonly options: {
    readonly team?: readonly string[]
    readonly dimensions?: Readonly<Record<string, readonly string[]>>
  }
}

export interface PartOptions {
  readonly team?: string | undefined
  readonly account?: string | undefined
  readonly dimensions?: Readonly<Record<string, string>> | undefined
}

/** Returns the selected incidents, with the folder for their pages. @throws ConfigError for an unknown name or value */
export async function choosePart(reader: Reader, options: PartOptions): Promise<ReportPart> {
  const teams = await pickTeams(reader, options.team)
  const dimensions = Object.fromEntries(
    await pickDimensions(reader, new Map(Object.entries(options.dimensions ?? {}))),
  )
  const account = await onlyAccount(reader, options.account)
  const chosen = { account, options: { ...(teams && { team: teams }), dimensions } }
  const selection = (folder: string) => ({ ...chosen, kind: 'selection' as const, name: null, folder })
  const [value, ...others] = Object.entries(dimensions).flatMap(([name, values]) =>
    values.map((one) => [name, one] as const),
  )
  if (value && teams === null && others.length === 0)
    return { ...chosen, kind: 'value', name: value[1], folder: `${value[0]}/${folderName(value[1])}` }
  if (value) {
    const all = Object.entries({ ...dimensions, ...(teams && { team: teams }) })
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, values]) => [name, [...values].sort()] as const)
    const text = all.map(([name, values]) => [name, ...values].join(' ')).join(' ')
    return selection(`${all.map(([name]) => name).join('-')}/${selectionFolder(text, all)}`)
  }
  if (teams !== null) {
    const known = await teamsIn(reader)
    const accounts = pickAccounts(await accountsIn(reader), options.account).map(({ id }) => id)
    const [team, ...more] = known.filter((one) => teams.includes(one.name) && accounts.includes(one.account))
    if (team && more.length === 0)
      return { ...chosen, kind: 'team', name: team.name, folder: teamFolder(team, known) }
    const names = [...teams].sort()
    return selection(`${TEAMS}/${selectionFolder(names.join(' '), names)}`)
  }
  if (account !== null) return accountPart(account)
  return { ...chosen, kind: 'all', name: null, folder: '' }
}

async function onlyAccount(reader: Reader, wanted: string | undefined): Promise<KnownAccount | null> {
  if (namesIn(wanted) === null) return null
  const [account, ...others] = pickAccounts(await accountsIn(reader), wanted)
  return account && others.length === 0 ? account : null
}

/** The folder name contains the account id, because account names can repeat. */
export function accountPart(account: KnownAccount): ReportPart {
  const { id, name } = account
  const folder = id === name ? id : [plainName(name), id].filter(Boolean).join('-')
  return { kind: 'account', name, folder: `accounts/${folder}`, account, options: {} }
}
