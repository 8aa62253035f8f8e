import { fileURLToPath } from 'node:url'
import { ConfigError } from '../errors.ts'
import { type Listed, listReports } from '../report/list.ts'
import { unknownName } from '../suggest.ts'

/** `reports/` beside `src/` and `dist/` alike: the reports that come with Faultline. */
const OWN = fileURLToPath(new URL('../../reports/', import.meta.url))

/** All reports there are: Faultline's own, and those of the user's folder, which win under the same name. */
export function allReports(folder: string | undefined): Listed[] {
  const byName = new Map(listReports(OWN).map((report) => [report.name, report]))
  for (const report of folder ? listReports(folder) : []) byName.set(report.name, report)
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The reports of those names; all of them when none is named. */
export function pickReports(names: readonly string[], all: readonly Listed[]): readonly Listed[] {
  const known = all.map((report) => report.name)
  for (const name of names) {
    if (!known.includes(name))
      throw new ConfigError(`There is no report "${name}".`, { next: unknownName(name, known) })
  }
  return names.length === 0 ? all : all.filter((report) => names.includes(report.name))
}
