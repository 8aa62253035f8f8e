import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { IndexTeam } from '../render/to-index.ts'
import type { KnownTeam } from '../report/scope/report-filters.ts'
import { foldersIn, presentPages } from './current-pages.ts'

export const TEAMS = 'teams'

/**
 * The folder name is the team’s id, as in `teams/12`, because ids never change. If teams of several accounts have the
 * same id, the account id is added for all but the first account.
 */
export function teamFolder(team: KnownTeam, teams: readonly KnownTeam[]): string {
  const id = idOf(team)
  const isFirst = teams.every((one) => idOf(one) !== id || BigInt(one.account) >= BigInt(team.account))
  return `${TEAMS}/${isFirst ? id : `${id}-${team.account}`}`
}

/** Returns the id of a team. Incidents without a channel or with an unknown team have no team id. */
function idOf({ id, name }: KnownTeam): string {
  return id ?? (name === '(no channel)' ? 'no-channel' : 'unknown')
}

/** Matches folder names that `teamFolder` returns. Other folders belong to selections of teams. */
const FOLDER = /^(\d+|no-channel|unknown)(-\d+)?$/

export function teamsWithPages(out: string): IndexTeam[] {
  const teams = foldersIn(join(out, TEAMS)).flatMap((folder) => {
    const summaries = presentPages(join(out, TEAMS, folder)).map(({ summary }) => summary)
    const newest = summaries.toSorted((a, b) => (a.as_of < b.as_of ? 1 : -1))[0]
    const isTeam = FOLDER.test(folder) && existsSync(join(out, TEAMS, folder, 'index.html'))
    return newest && isTeam ? [{ folder, name: newest.teams, account: newest.accounts, summaries }] : []
  })
  return teams
    .map(({ folder, name, account, summaries }) => {
      const isShared = account !== null && teams.filter((one) => one.name === name).length > 1
      const team = isShared ? `${name} (${account})` : name
      return { team, page: `${TEAMS}/${encodeURIComponent(folder)}/index.html`, summaries }
    })
    .sort((a, b) => a.team.localeCompare(b.team, 'en'))
}
