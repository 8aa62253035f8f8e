import { basename, join } from 'node:path'
import { ConfigError, ReportError, unknownName } from '../errors.ts'
import { INCLUDED, reportNames } from '../settings/report-names.ts'
import { parseReport } from './parse/parse.ts'
import { reportText, unreadable } from './report-text.ts'
import { isHandover } from './scope/shift.ts'

/** A report file in a folder; `problem` is set when it cannot be parsed. */
export interface Listed {
  name: string
  file: string
  title: string
  description: string
  /** Cron, in the report's time zone. */
  schedule: string | null
  timezone: string | null
  /** As its file says it. */
  period: string | null
  /** The accounts that its file names. */
  account: string | readonly string[] | null
  /** It is about the time since it was last delivered, not about a period. */
  isHandover: boolean
  /** Made for each team too, where that is asked for. */
  perTeam: boolean
  problem: ReportError | null
}

/**
 * Every `*.md` of a folder that is not hidden, by name. Whatever cannot be read is listed with its problem, and keeps no
 * other from being read. No folder is no reports.
 */
export function listReports(folder: string): Listed[] {
  return reportNames(folder).map((name) => listed(name, join(folder, `${name}.md`)))
}

/** Those of one period after each other, since they share what is made of it, see `pooled`. */
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
    const parameters = { timezone, period, account }
    return {
      name,
      file,
      title,
      description,
      schedule,
      ...parameters,
      isHandover: isHandover(report),
      perTeam,
      problem: null,
    }
  } catch (error) {
    const problem = error instanceof ReportError ? error : unreadable(file, error)
    return { name, file, title: name, ...unknown, problem }
  }
}

/**
 * The included reports and those of the user's folder, which replace included ones of the same name. Names that differ by case only are
 * one: they would write the same files where a file system takes them for one.
 */
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
        ? '"index" is the page that lists all reports.'
        : undefined
    const problem =
      reason === undefined
        ? report.problem
        : new ReportError(reason, { file: report.file, line: 1 }, { next: 'Give the file another name.' })
    byName.set(other ? report.name : report.name.toLowerCase(), { ...report, problem })
  }
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
