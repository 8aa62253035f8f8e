import { relative } from 'node:path'
import { errorText, type FaultlineError, ReportError } from '../errors.ts'
import type { Listed } from '../report/report-catalog.ts'

export function messageOf(error: FaultlineError, report: Listed): string {
  return `${placeOf(error, report)}: ${errorText(error)}`
}

/** Returns a place such as `my-reports/my-team.md:12`, so that editors can open the file. */
export function placeOf(error: FaultlineError, report: Listed): string {
  return error instanceof ReportError ? `${shown(error.file)}:${error.line}` : report.name
}

export function shown(path: string): string {
  return relative('', path) || path
}
