import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { unknownName } from '../errors.ts'
import { inPackage } from '../package-path.ts'
import type { Mistake, Reading } from './yaml.ts'

/** Folder of the included reports. */
export const INCLUDED = fileURLToPath(inPackage('reports/'))

/** Returns the names of the reports in a folder, which are its visible `*.md` files. Empty if the folder does not exist. */
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

const PLACE = ['schedule', 'reports']

/** Returns an error for each scheduled report that does not exist. @param folder custom reports */
export function unknownReports(
  { written, lineOf }: Pick<Reading<unknown>, 'written' | 'lineOf'>,
  folder: string | undefined,
): Mistake[] {
  const known = [...new Set([...reportNames(INCLUDED), ...(folder === undefined ? [] : reportNames(folder))])]
  const table = PLACE.reduce<unknown>((value, key) => (isTable(value) ? value[key] : undefined), written)
  const names = isTable(table) ? Object.keys(table).filter((name) => !known.includes(name)) : []
  return names.map((name) => ({
    line: lineOf([...PLACE, name]),
    message: `${PLACE.join('.')}: unknown report "${name}".`,
    next: unknownName(name, known),
  }))
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
