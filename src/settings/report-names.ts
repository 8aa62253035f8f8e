import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { unknownName } from '../errors.ts'
import { inPackage } from '../package-path.ts'
import type { Mistake, Reading } from './yaml.ts'

/** The included reports. */
export const INCLUDED = fileURLToPath(inPackage('reports/'))

/** The names of the reports in a folder: every `*.md` that is not hidden. No folder is no reports. */
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

/** Where a configuration names reports, as a table by their names. */
const PLACE = ['schedule', 'reports']

/**
 * What names a report that is not there, and when it is to be made.
 * @param folder of the user's own reports
 */
export function unknownReports(
  { written, lineOf }: Pick<Reading<unknown>, 'written' | 'lineOf'>,
  folder: string | undefined,
): Mistake[] {
  const known = [...new Set([...reportNames(INCLUDED), ...(folder === undefined ? [] : reportNames(folder))])]
  const table = PLACE.reduce<unknown>((value, key) => (isTable(value) ? value[key] : undefined), written)
  const names = isTable(table) ? Object.keys(table).filter((name) => !known.includes(name)) : []
  return names.map((name) => ({
    line: lineOf([...PLACE, name]),
    message: `${PLACE.join('.')}: there is no report "${name}".`,
    next: unknownName(name, known),
  }))
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
