import { join, relative } from 'node:path'
import { TEAMS, teamsOf } from '../../delivery/history.ts'
import { replaceFile } from '../../effects.ts'
import { byPeriod, type Listed } from '../../report/list.ts'
import { type RunOptions, runReport } from '../../report/run.ts'
import { teamNames } from '../../report/scope/chosen.ts'
import { type FileFormat, writeReport } from '../../report/write.ts'
import { pooled } from '../../warehouse/read/pool.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import type { Context } from '../context.ts'
import { AT_ONCE, makeEach, writeIndex } from './each.ts'
import { teamFolder, teamPage } from './out.ts'

/** Makes the reports of every team in `teams/NAME/`, with an index each. @returns the highest exit status */
export async function makeTeams(
  context: Context,
  reader: Reader,
  reports: readonly Listed[],
  {
    all,
    chosen,
    out,
    files,
    options,
  }: {
    /** Every report there is, for the index of a team. */
    readonly all: readonly Listed[]
    readonly chosen: true | readonly string[]
    readonly out: string
    readonly files: readonly FileFormat[]
    readonly options: RunOptions
  },
): Promise<number> {
  const teams = chosen === true ? await teamNames(reader) : chosen
  const own = byPeriod(reports.filter(({ perTeam, problem }) => perTeam && !problem))
  const sessions = pooled(reader, { timesKept: true })
  const subjects = teams.map((name) => ({ name }))
  const status = await makeEach(context, subjects, own, AT_ONCE, async ({ name }) => ({
    async make(report) {
      const result = await runReport(report.file, sessions, { ...options, team: [name] })
      writeReport(result, teamFolder(out, name), files, { isCompact: true, teamPage: () => null })
      return 0
    },
  }))
  for (const team of teams) writeIndex(teamFolder(out, team), team, all)
  // For the index of all reports. Teams that were not made this time keep their pages.
  const known = new Map(teamsOf(out).map((one) => [one.page, one]))
  for (const team of teams) known.set(teamPage(team), { team, page: teamPage(team) })
  const listed = [...known.values()].sort((a, b) => a.team.localeCompare(b.team, 'en'))
  replaceFile(join(out, TEAMS), `${JSON.stringify(listed, null, 2)}\n`)
  context.console.out(`${relative('', join(out, 'teams'))}/: pages of ${teams.length} teams`)
  return status
}
