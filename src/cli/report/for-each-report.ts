import { relative } from 'node:path'
import { FaultlineError, ReportError, wordsOf } from '../../errors.ts'
import type { Listed } from '../../report/list.ts'
import type { Context } from '../context.ts'

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
