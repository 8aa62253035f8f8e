import { type ChatStyle, chatOf } from '../../config/chat-services.ts'
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
import { type CheckResult, fail, failed, ok, warn } from './check-result.ts'

/** Returns one result per invalid report. Reports are only parsed if `reader` is undefined. */
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
      problems.push(
        fail(
          `report ${report.name}`,
          `${place}: ${error.message.split('\n', 1)[0]}`,
          error.next ?? `Details: faultline report check ${report.name}`,
        ),
      )
    }
  }
  if (problems.length > 0) return problems
  const count = reports.length === 1 ? '1 report' : `${reports.length} reports`
  return [
    ok(
      'reports',
      reader ? `${count} compile` : `${count} can be parsed. Compiling them requires a warehouse.`,
    ),
  ]
}

/** Checks the schedule of `faultline start`, and reports when each sync will run next. `now` is Unix ms. */
export function checkSchedule(config: Config, now: number): CheckResult {
  try {
    const jobs = planJobs(config, allReports(config.reports))
    const syncs = jobs.filter(({ kind }) => kind === 'sync')
    const next = syncs.map(({ name, cron }) => {
      const at = cron.next(now)
      return `${name} next at ${at === null ? 'no time' : instant(new Date(at), config.timezone)}`
    })
    return ok('schedule', [...next, `${jobs.length - syncs.length} reports`].join(', '))
  } catch (error) {
    return failed('schedule', error)
  }
}

/** Warns about each report that is always due before the sync of the data for its period. */
export function checkDueTimes(config: Config, now: number): CheckResult[] {
  try {
    const reports = new Map(allReports(config.reports).map((report) => [report.name, report]))
    const jobs = planJobs(config, [...reports.values()])
    const syncs = jobs.filter(({ kind }) => kind === 'sync').map(({ cron }) => cron)
    return jobs.flatMap(({ kind, subject, cron }) => {
      const report = kind === 'report' && subject !== undefined ? reports.get(subject) : undefined
      const due = cron.next(now)
      if (!report || due === null || report.isHandover) return []
      const zone = report.timezone ?? config.timezone ?? 'UTC'
      const dates = resolvePeriod(
        parsePeriod(report.period ?? '13 weeks'),
        localTime(new Date(due), zone).slice(0, 10),
      )
      // Uses the account whose last sync is the oldest.
      const read = Math.min(...syncs.map((sync) => sync.last(due) ?? 0))
      if (isReached(dates, zone, new Date(read))) return []
      const at = (time: number) => localTime(new Date(time), zone).slice(0, 16).replace('T', ' ')
      const text = `${report.name} is due at ${at(due)}, but the preceding sync at ${at(read)} runs before the end of its period`
      return [warn('schedule', text, 'Sync between midnight and the report: change `schedule.sync`.')]
    })
  } catch (error) {
    if (!(error instanceof FaultlineError)) throw error
    // `checkSchedule` and `checkReports` already report this error.
    return []
  }
}

function whereTo(style: 'json' | ChatStyle): string {
  const chat = chatOf(style)
  return chat ? `the webhook of ${chat.name}` : 'the webhook'
}

/** Checks the delivery settings without sending anything. */
export function checkDelivery(context: Context, config: Config): CheckResult {
  try {
    const { folder, mail, webhook } = readTargets(context, config)
    const ways = [
      ...(folder ? [`the folder ${config.out}`] : []),
      ...(mail ? [`mail by ${mail.host}:${mail.port}`] : []),
      ...(webhook ? [whereTo(webhook.style)] : []),
    ]
    return ok('delivery', ways.length === 0 ? 'no delivery is configured' : `to ${ways.join(', ')}`)
  } catch (error) {
    return failed('delivery', error)
  }
}
