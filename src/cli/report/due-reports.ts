import type { Config } from '../../config/config.ts'
import { messagesOf, type Sent } from '../../delivery/messages.ts'
import type { Effects } from '../../effects.ts'
import { allReports, type Listed } from '../../report/list.ts'
import { planJobs } from '../../schedule/jobs.ts'
import { publishedAt } from '../../warehouse/file-or-lake.ts'
import type { Context } from '../context.ts'

/** What came due so long ago is sent even where nothing is remembered of earlier runs. */
const REMEMBERED_MS = 24 * 3_600_000

/**
 * The last time of each report's schedule, Unix ms, where there is still someone to send it to: of the last day, or since the
 * report was sent last.
 */
export async function dueReports(
  { console }: Context,
  config: Config,
  reports: readonly Listed[],
  how: Pick<Sent, 'targets' | 'again'> & { readonly parameters: string; readonly effects: Effects },
): Promise<Map<string, number>> {
  const now = how.effects.now()
  const ledger = publishedAt(config.warehouse).deliveries
  const due = new Map<string, number>()
  const wanted = new Set(reports.map(({ name }) => name))
  const jobs = planJobs(config, allReports(config.reports), (report, { message }) => {
    if (wanted.has(report)) console.error(`${report}: ${message}`)
  })
  for (const { kind, subject: report, cron } of jobs) {
    const time = cron.last(now)
    if (kind !== 'report' || report === undefined || !wanted.has(report) || time === null) continue
    const subject = { parameters: how.parameters, due: new Date(time).toISOString() }
    const messages = await messagesOf(report, { ...how, subject, ledger })
    if (messages.length > 0 && messages.every(({ sentAt }) => sentAt !== null)) continue
    if (now - time <= REMEMBERED_MS || (await wasSentBefore(time, report))) due.set(report, time)
  }
  return due

  async function wasSentBefore(time: number, report: string): Promise<boolean> {
    const sent = await ledger.sent(report).catch(() => new Map<string, string>())
    return sent.size > 0 && [...sent.values()].every((at) => Date.parse(at) < time)
  }
}
