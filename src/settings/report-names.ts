import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { unknownName } from '../errors.ts'
import { inPackage } from '../package-path.ts'
import type { Mistake, Reading } from './yaml.ts'

/** Folder of the included reports. */
export const INCLUDED = fileURLToPath(inPackage('reports/'))

export function reportNames(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
      .map((name) => name.slice(0, -'.md'.length))
      .sort()
  } catch {
    return []
  }
}

/** Returns an error for each unknown report in `schedule.reports`. @param folder the folder of custom reports */
export function unknownReports(
  { written, lineOf }: Pick<Reading<unknown>, 'written' | 'lineOf'>,
  folder: string | undefined,
): Mistake[] {
  const known = [...new Set([INCLUDED, folder ?? INCLUDED].flatMap(reportNames))]
  const schedule = isTable(written) ? written.schedule : undefined
  const reports = isTable(schedule) ? schedule.reports : undefined
  const names = isTable(reports) ? Object.keys(reports).filter((name) => !known.includes(name)) : []
  return names.map((name) => ({
    line: lineOf(['schedule', 'reports', name]),
    message: `schedule.reports: unknown report "${name}".`,
    next: unknownName(name, known),
  }))
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
