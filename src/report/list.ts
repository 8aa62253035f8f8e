import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ReportError } from '../errors.ts'
import { parseReport } from './parse/parse.ts'
import { reportText, unreadable } from './report-text.ts'

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
  /** Made for each team too, where that is asked for. */
  perTeam: boolean
  problem: ReportError | null
}

/**
 * Every `*.md` of a folder that is not hidden, by name. Whatever cannot be read is listed with its problem, and keeps no
 * other from being read. No folder is no reports.
 */
export function listReports(folder: string): Listed[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch {
    return []
  }
  return names
    .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
    .sort()
    .map((name) => listed(name.slice(0, -'.md'.length), join(folder, name)))
}

/** Those of one period after each other, since they share what is made of it, see `pooled`. */
export function byPeriod(reports: readonly Listed[]): Listed[] {
  return reports.toSorted((a, b) => (a.period ?? '').localeCompare(b.period ?? '', 'en'))
}

function listed(name: string, file: string): Listed {
  const unknown = { description: '', schedule: null, timezone: null, period: null, perTeam: false }
  try {
    const {
      title,
      description,
      schedule = null,
      params,
      per_team: perTeam,
    } = parseReport(reportText(file), file).front
    const { timezone = null, period = null } = params
    return { name, file, title, description, schedule, timezone, period, perTeam, problem: null }
  } catch (error) {
    const problem = error instanceof ReportError ? error : unreadable(file, error)
    return { name, file, title: name, ...unknown, problem }
  }
}
