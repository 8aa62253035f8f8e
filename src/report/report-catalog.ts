import { basename, join } from 'node:path'
import { ConfigError, ReportError, unknownName } from '../errors.ts'
import { INCLUDED, reportNames } from '../settings/report-names.ts'
import { parseReport } from './parse/parse.ts'
import { reportText, unreadable } from './report-text.ts'
import { isHandover } from './scope/shift.ts'

/** A report file in a folder. `problem` is set if it cannot be parsed. */
export interface Listed {
  name: string
  file: string
  title: string
  description: string
  schedule: string | null
  timezone: string | null
  period: string | null
  account: string | readonly string[] | null
  /** Whether the report covers the time since its last delivery instead of a period. */
  isHandover: boolean
  /** Whether the report is also created for each team if team reports are enabled. */
  perTeam: boolean
  problem: ReportError | null
}

/** Lists the visible `*.md` files in a folder by name. Files that cannot be parsed are listed with their problem. */
export function listReports(folder: string): Listed[] {
  return reportNames(folder).map((name) => listed(name, join(folder, `${name}.md`)))
}

/** Sorts reports by period, because reports with the same period share relations (`warehouse/read/pool.ts`). */
export function byPeriod(reports: readonly Listed[]): Listed[] {
  return reports.toSorted((a, b) => (a.period ?? '').localeCompare(b.period ?? '', 'en'))
}

function listed(name: string, file: string): Listed {
  const unknown = {
    ...{ description: '', schedule: null, timezone: null, period: null, account: null },
    ...{ isHandover: false, perTeam: false },
  }
  try {
    const report = parseReport(reportText(file), file, 'any')
    const { title, description, schedule = null, params, per_team: perTeam } = report.front
    const { timezone = null, period = null, account = null } = params
    const known = { title, description, schedule, timezone, period, account, perTeam }
    return { name, file, ...known, isHandover: isHandover(report), problem: null }
  } catch (error) {
    const problem = error instanceof ReportError ? error : unreadable(file, error)
    return { name, file, title: name, ...unknown, problem }
  }
}

/** A user’s report replaces the included report with the same name, ignoring case. */
export function allReports(folder: string | undefined): Listed[] {
  const byName = new Map(listReports(INCLUDED).map((report) => [report.name.toLowerCase(), report]))
  const own = folder ? listReports(folder) : []
  for (const report of own) {
    const other = own.find(
      ({ name }) => name !== report.name && name.toLowerCase() === report.name.toLowerCase(),
    )
    const reason = other
      ? `"${report.name}" and "${other.name}" would write the same files.`
      : report.name.toLowerCase() === 'index'
        ? '"index" is reserved for the page that lists all reports.'
        : undefined
    const problem =
      reason === undefined
        ? report.problem
        : new ReportError(reason, { file: report.file, line: 1 }, { next: 'Give the file another name.' })
    byName.set(other ? report.name : report.name.toLowerCase(), { ...report, problem })
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns all reports if `names` is empty. @throws ConfigError for an unknown name */
export function pickReports(names: readonly string[], all: readonly Listed[]): readonly Listed[] {
  const known = all.map((report) => report.name)
  for (const name of names) {
    if (known.includes(name)) continue
    const isPath = /[/\\]|\.md$/.test(name)
    const own =
      ' Give the name without folder and ".md". Custom reports are in the folder `reports` of config.json.'
    const next = unknownName(basename(name, '.md'), known) + (isPath ? own : '')
    throw new ConfigError(`Unknown report "${name}".`, { next })
  }
  return names.length === 0 ? all : all.filter((report) => names.includes(report.name))
}
