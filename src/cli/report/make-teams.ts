import { join, relative } from 'node:path'
import { notePage } from '../../delivery/present-pages.ts'
import { siteOfTeam } from '../../delivery/site.ts'
import type { TeamAddress } from '../../delivery/team-addresses.ts'
import { placeTeams, pointOn, teamFolder } from '../../delivery/team-pages.ts'
import { FaultlineError, wordsOf } from '../../errors.ts'
import { byPeriod, type Listed } from '../../report/list.ts'
import { type RunOptions, runReport } from '../../report/run.ts'
import { accountsIn, pickTeams, type Sessions, sessionsOf } from '../../report/scope/chosen.ts'
import { type FileFormat, writeReport } from '../../report/write.ts'
import { pooled } from '../../warehouse/read/pool.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import type { Context } from '../context.ts'
import { AT_ONCE, makeEach, writeIndex } from './each.ts'
import { teamsOfAccounts } from './out.ts'

/** Makes the reports of teams, each in its own folder, with an index each. @returns the highest exit status */
export async function makeTeams(
  context: Context,
  reader: Reader,
  reports: readonly Listed[],
  {
    all,
    chosen,
    addresses,
    out,
    files,
    options,
  }: {
    /** Every report there is, for the index of a team. */
    readonly all: readonly Listed[]
    readonly chosen: readonly TeamAddress[]
    /** Of all teams that the folder of reports knows. */
    readonly addresses: readonly TeamAddress[]
    readonly out: string
    readonly files: readonly FileFormat[]
    readonly options: RunOptions
  },
): Promise<number> {
  const own = byPeriod(reports.filter(({ perTeam, problem }) => perTeam && !problem))
  const known = await accountsIn(reader)
  let status = 0
  for (const account of new Set(chosen.map((team) => team.account))) {
    const only = known.length > 1 ? known.find(({ id }) => id === account) : undefined
    const sessions: Sessions & { close(): void } = only
      ? await sessionsOf(reader, only, known)
      : pooled(reader, { timesKept: true })
    const teams = chosen.filter((team) => team.account === account)
    const made = await makeEach(context, teams, own, AT_ONCE, async (team) => ({
      async make(report) {
        const result = await runReport(report.file, sessions, { ...options, team: [team.name] })
        const folder = teamFolder(out, team)
        writeReport(result, folder, files, {
          ...{ isCompact: true, teamPage: () => null },
          site: siteOfTeam(out, team.name),
        })
        notePage(folder, result.name, result)
        return 0
      },
    }))
    sessions.close()
    status = Math.max(status, made)
  }
  for (const team of chosen) writeIndex(teamFolder(out, team), team.name, all, siteOfTeam(out, null))
  pointOn(out, addresses)
  context.console.out(
    `${relative('', join(out, 'teams'))}/: pages of ${chosen.length} ${chosen.length === 1 ? 'team' : 'teams'}`,
  )
  return status
}

/** The teams that get pages of their own in this run, and all whose addresses the folder knows. Undefined without any. */
export async function teamsToMake(
  { console }: Context,
  reader: Reader,
  out: string,
  options: {
    readonly team?: string | undefined
    readonly teams?: boolean | undefined
    readonly account?: string | undefined
  },
  configured: boolean | readonly string[],
): Promise<
  { chosen: readonly TeamAddress[]; addresses: readonly TeamAddress[]; status: number } | undefined
> {
  const wanted = options.team === undefined && ((options.teams ?? false) || configured)
  if (!wanted) return undefined
  const known = await teamsOfAccounts(reader, options.account)
  const names = wanted === true ? known.map(({ name }) => name) : []
  let status = 0
  for (const one of wanted === true ? [] : wanted) {
    try {
      names.push(...((await pickTeams(reader, [one])) ?? []))
    } catch (error) {
      // One that is configured and owns no incident keeps no other from being made.
      if (!(error instanceof FaultlineError)) throw error
      console.error(wordsOf(error))
      status = error.exitCode
    }
  }
  // All are placed, not only those that are made: another one may be called alike.
  const addresses = placeTeams(out, known)
  const isChosen = ({ name, account }: TeamAddress) =>
    known.some((team) => team.name === name && team.account === account) && names.includes(name)
  return { chosen: addresses.filter(isChosen), addresses, status }
}
