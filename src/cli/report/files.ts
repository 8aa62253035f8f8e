import { relative } from 'node:path'
import type { Config } from '../../config/config.ts'
import { ConfigError, FaultlineError, ReportError, wordsOf } from '../../errors.ts'
import { allReports, type Listed } from '../../report/list.ts'
import { mistakesOf } from '../../report/run.ts'
import { writeStarter } from '../../report/starter.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import type { Context } from '../context.ts'
import { textTable } from '../text-table.ts'

/** `report list`. @returns the exit status */
export function listReports(context: Context, config: Config, flags: { readonly json?: boolean }): number {
  const reports = allReports(config.reports)
  if (flags.json) context.console.out(JSON.stringify(reports))
  else {
    const rows = reports.map(({ name, title, schedule, problem }) => [
      name,
      problem ? `${shown(problem.file)}:${problem.line}: ${problem.message}` : title,
      schedule ?? '-',
    ])
    context.console.out(textTable([['name', 'title', 'schedule'], ...rows]).join('\n'))
  }
  return reports.some((report) => report.problem) ? 1 : 0
}

/** `report new NAME`. @returns the exit status */
export function createReport(context: Context, config: Config, words: readonly string[]): number {
  const [name] = words
  if (name === undefined)
    throw new ConfigError('The new report has no name.', { next: 'Add one: faultline report new my-team' })
  if (words.length > 1) {
    throw new ConfigError('The name of a report is one word.', {
      next: `Join them: faultline report new ${words.join('-')}`,
    })
  }
  if (config.reports === undefined) {
    throw new ConfigError('No folder for your own reports is configured.', {
      next: 'Set `reports` in config.json, such as "reports": "./my-reports".',
    })
  }
  context.console.out(shown(writeStarter(config.reports, name)))
  return 0
}

/** `report check`: every mistake of every file. @returns the exit status */
export async function checkReports(
  context: Context,
  reader: Reader,
  reports: readonly Listed[],
): Promise<number> {
  let status = 0
  for (const report of reports) {
    const mistakes = await mistakesOf(report.file, reader)
    for (const mistake of mistakes) context.console.error(messageOf(mistake, report))
    if (mistakes.length === 0) context.console.out(`${report.name}: ok`)
    else status = 1
  }
  return status
}

/** Runs every report, also after one failed. @returns the highest exit status */
export async function forEachReport(
  context: Context,
  reports: readonly Listed[],
  act: (report: Listed) => Promise<number>,
): Promise<number> {
  let status = 0
  // What an option is wrong about, all reports say: it is told once.
  const said = new Map<string, string[]>()
  try {
    for (const report of reports) {
      try {
        if (report.problem) throw report.problem
        status = Math.max(status, await act(report))
      } catch (error) {
        if (!(error instanceof FaultlineError)) throw error
        const text = wordsOf(error)
        said.set(text, [...(said.get(text) ?? []), placeOf(error, report)])
        status = Math.max(status, error.exitCode)
      }
    }
  } finally {
    // Also when it is stopped in the middle.
    for (const [text, places] of said) context.console.error(`${places.join(', ')}: ${text}`)
  }
  return status
}

/** An error of a report behind its place. */
export function messageOf(error: FaultlineError, report: Listed): string {
  return `${placeOf(error, report)}: ${wordsOf(error)}`
}

/** `my-reports/my-team.md:12` for a mistake in a file, so that an editor can jump to it; else the report's name. */
function placeOf(error: FaultlineError, report: Listed): string {
  return error instanceof ReportError ? `${shown(error.file)}:${error.line}` : report.name
}

/** A path as seen from here. */
export function shown(path: string): string {
  return relative('', path) || path
}
