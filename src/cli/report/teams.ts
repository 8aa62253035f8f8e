import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { TEAMS, teamsOf } from '../../delivery/history.ts'
import { replaceFile } from '../../effects.ts'
import { FaultlineError } from '../../errors.ts'
import { toTeamIndex } from '../../render/to-index.ts'
import { byPeriod, type Listed } from '../../report/list.ts'
import { type RunOptions, runReport } from '../../report/run.ts'
import { teamNames } from '../../report/scope/chosen.ts'
import { type FileFormat, writeReport } from '../../report/write.ts'
import { pooled } from '../../warehouse/read/pool.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import type { Context } from '../context.ts'
import { teamFolder, teamPage } from './out.ts'

/** Teams whose reports are made at the same time: one is drawn here while DuckDB works for two. */
const AT_ONCE = 3

/** Makes the reports of every team in `teams/NAME/`, with an index each. @returns the highest exit status */
export async function makeTeams(
  { console, signal }: Context,
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
  const waiting = [...teams]
  let status = 0
  const failed = new Set<string>()
  const make = async (team: string, report: Listed) => {
    signal.throwIfAborted()
    try {
      const result = await runReport(report.file, sessions, { ...options, team: [team] })
      writeReport(result, teamFolder(out, team), files, { isCompact: true, teamPage: () => null })
    } catch (error) {
      if (!(error instanceof FaultlineError)) throw error
      if (!failed.has(error.message)) console.note(`error: ${report.name} of ${team}: ${error.message}`)
      failed.add(error.message)
      status = Math.max(status, error.exitCode)
    }
  }
  const worker = async () => {
    for (let team = waiting.shift(); team !== undefined; team = waiting.shift())
      for (const report of own) await make(team, report)
  }
  // All of them: none may still read when the reader is closed.
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
  for (const team of teams) {
    const folder = teamFolder(out, team)
    const pages = all.filter(({ name }) => existsSync(join(folder, `${name}.html`)))
    replaceFile(join(folder, 'index.html'), toTeamIndex(team, pages))
  }
  // For the index of all reports. Teams that were not made this time keep their pages.
  const known = new Map(teamsOf(out).map((one) => [one.page, one]))
  for (const team of teams) known.set(teamPage(team), { team, page: teamPage(team) })
  const listed = [...known.values()].sort((a, b) => a.team.localeCompare(b.team, 'en'))
  replaceFile(join(out, TEAMS), `${JSON.stringify(listed, null, 2)}\n`)
  console.out(`${relative('', join(out, 'teams'))}/: pages of ${teams.length} teams`)
  return status
}
