import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ConfigError, unknownName } from '../errors.ts'
import { type Listed, listReports } from './list.ts'

/** `reports/` beside `src/` or `dist/`: the included reports. */
const OWN = fileURLToPath(new URL('../../reports/', import.meta.url))

/** The included reports and those of the user's folder, which replace included ones of the same name. */
export function allReports(folder: string | undefined): Listed[] {
  const byName = new Map(listReports(OWN).map((report) => [report.name, report]))
  for (const report of folder ? listReports(folder) : []) byName.set(report.name, report)
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The reports of those names; all without names. @throws ConfigError for an unknown name */
export function pickReports(names: readonly string[], all: readonly Listed[]): readonly Listed[] {
  const known = all.map((report) => report.name)
  for (const name of names) {
    if (known.includes(name)) continue
    const isPath = /[/\\]|\.md$/.test(name)
    const own =
      ' A report is named without folder and ".md", and found in the folder `reports` of config.json.'
    const next = unknownName(basename(name, '.md'), known) + (isPath ? own : '')
    throw new ConfigError(`There is no report "${name}".`, { next })
  }
  return names.length === 0 ? all : all.filter((report) => names.includes(report.name))
}
