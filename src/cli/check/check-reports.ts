import { chatOf } from '../../config/chat-services.ts'
import type { Config } from '../../config/config.ts'
import { FaultlineError, ReportError } from '../../errors.ts'
import { checkReport } from '../../page/check-report.ts'
import { localTime } from '../../render/format.ts'
import { parsePeriod } from '../../report/parse/parse-period.ts'
import { allReports, type Listed } from '../../report/report-catalog.ts'
import { isReached, resolvePeriod } from '../../report/scope/period.ts'
import { planJobs } from '../../schedule/jobs.ts'
import type { Reader } from '../../warehouse/read/reader.ts'
import type { Context } from '../context.ts'
import { readTargets } from '../deliver-reports.ts'
import { instant } from '../text-table.ts'
import { type CheckResult, fail, ok, warn } from './check-result.ts'

/** Without a reader, parses reports but does not compile them. */
export async function checkReports(
  reports: readonly Listed[],
  reader: Reader | undefined,
): Promise<CheckResult[]> {
  const problems: CheckResult[] = []
  for (const report of reports) {
    try {
      if (report.problem) throw report.problem
      if (reader) await checkReport(report.file, reader)
    } catch (error) {
      if (!(error instanceof FaultlineError)) throw error
      const place = error instanceof ReportError ? `${error.file}:${error.line}` : report.file
      const next = error.next ?? `Details: faultline report check ${report.name}`
      problems.push(fail(`report ${report.name}`, `${place}: ${error.message.split('\n', 1)[0]}`, next))
    }
  }
  if (problems.length > 0) return problems
  const count = reports.length === 1 ? '1 report' : `${reports.length} reports`
  const parsed = `${count} can be parsed. Compiling them requires a warehouse.`
  return [ok('reports', reader ? `${count} compile` : parsed)]
}

/** Checks the schedule of `faultline start`, and reports when each sync will run next. `now` is Unix ms. */
export function checkSchedule(config: Config, now: number): CheckResult {
  const jobs = planJobs(config, allReports(config.reports))
  const syncs = jobs.filter(({ kind }) => kind === 'sync')
  const next = syncs.map(({ name, cron }) => {
    const at = cron.next(now)
    return `${name} next at ${at === null ? 'no time' : instant(new Date(at), config.timezone)}`
  })
  return ok('schedule', [...next, `${jobs.length - syncs.length} reports`].join(', '))
}

/** Warns about each report that is due before a sync has read the end of the report's period. `now` is Unix ms. */
export function checkDueTimes(config: Config, now: number): CheckResult[] {
  const reports = new Map(allReports(config.reports).map((report) => [report.name, report]))
  const jobs = planJobs(config, [...reports.values()])
  const syncs = jobs.filter(({ kind }) => kind === 'sync').map(({ cron }) => cron)
  return jobs.flatMap(({ kind, subject, cron }) => {
    const report = kind === 'report' && subject !== undefined ? reports.get(subject) : undefined
    const due = cron.next(now)
    if (!report || due === null || report.isHandover) return []
    const zone = report.timezone ?? config.timezone ?? 'UTC'
    const local = (time: number) => localTime(new Date(time), zone)
    const dates = resolvePeriod(parsePeriod(report.period ?? '13 weeks'), local(due).slice(0, 10))
    // Accounts can have different schedules, so the account with the oldest sync decides.
    const read = Math.min(...syncs.map((sync) => sync.last(due) ?? 0))
    if (isReached(dates, zone, new Date(read))) return []
    const at = (time: number) => local(time).slice(0, 16).replace('T', ' ')
    const text = `${report.name} is due at ${at(due)}, but the preceding sync at ${at(read)} runs before the end of its period`
    return [warn('schedule', text, 'Sync between midnight and the report: change `schedule.sync`.')]
  })
}

export function checkDelivery(context: Context, config: Config): CheckResult {
  const { folder, mail, webhook } = readTargets(context, config)
  const chat = webhook && chatOf(webhook.style)
  const ways = [
    ...(folder ? [`the folder ${config.out}`] : []),
    ...(mail ? [`mail by ${mail.host}:${mail.port}`] : []),
    ...(webhook ? [chat ? `the webhook of ${chat.name}` : 'the webhook'] : []),
  ]
  return ok('delivery', ways.length === 0 ? 'no delivery is configured' : `to ${ways.join(', ')}`)
}
