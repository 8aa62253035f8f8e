import { relative } from 'node:path'
import { errorText, type FaultlineError, ReportError } from '../errors.ts'
import type { Listed } from '../report/report-catalog.ts'

export function messageOf(error: FaultlineError, report: Listed): string {
  return `${placeOf(error, report)}: ${errorText(error)}`
}

/**
 * Returns the place of an error in a report file, such as `my-reports/my-team.md:12`, so that editors can open it. For
 * other errors, returns the report’s name.
 */
export function placeOf(error: FaultlineError, report: Listed): string {
  return error instanceof ReportError ? `${shown(error.file)}:${error.line}` : report.name
}

/** Returns a path relative to the current folder. */
export function shown(path: string): string {
  return relative('', path) || path
}
