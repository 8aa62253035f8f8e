import { type Config, loadConfig } from '../../config/config.ts'
import { errorText, FaultlineError } from '../../errors.ts'
import { allReports, pickReports } from '../../report/report-catalog.ts'
import { shown } from '../../site/error-places.ts'
import type { MadeReport } from '../../site/write-page.ts'
import { consoleEffects } from '../console.ts'
import type { Context } from '../context.ts'
import { deliverAll, type ReportToDeliver, readTargets, subjectByHand } from '../deliver-reports.ts'
import { type DueReport, dueReports } from './due-reports.ts'
import { makeAccountPages, makePages, parametersOf, type Run, withReports } from './make-pages.ts'
import { checkOptions, type ReportOptions } from './report-options.ts'
import { syncBeforeHandover } from './sync-before-handover.ts'
import { watchFiles } from './watch.ts'

/** Makes the named reports (default: all). `made` receives every written report. @returns the exit status */
export async function makeReports(
  context: Context,
  names: readonly string[],
  options: ReportOptions,
  made: (report: MadeReport) => void = () => {},
): Promise<number> {
  const config = loadConfig(context.overrides)
  checkOptions(
    options,
    config.settings.dimensions.map(({ name }) => name),
  )
  if (options.watch) return watch(context, config, names, options)
  return withReports(context, names, options, (run) => {
    if (options.allAccounts) return makeAccountPages(run)
    if (options.deliver || options.due) return deliverReports(run)
    return makePages(run, made)
  })
}

async function deliverReports(run: Run): Promise<number> {
  const { context, config, reports, options } = run
  const { account, timezone, period, again = false } = options
  // This comes first, so that a missing password is reported immediately.
  const targets = readTargets(context, config)
  const parameters = parametersOf(options)
  const sending = { targets, again, warehouse: config.warehouse, out: options.to ?? config.out }
  if (options.due) {
    const broken = reports.filter(({ problem }) => problem)
    const status = broken.length > 0 ? await makePages({ ...run, reports: broken }, () => {}) : 0
    const effects = consoleEffects(context.console, context.verbose)
    const request = { targets, again, parameters, effects, given: { period, account, timezone } }
    const found = await dueReports(context, config, run.reader, reports, request)
    for (const sentence of found.waiting) context.console.note(sentence)
    if (found.due.length + broken.length === 0) context.console.out('No report is due.')
    const due = await makeDueReports(run, found.due)
    const failures = await deliverAll(context, due.made, sending)
    return failures.length > 0 ? 1 : Math.max(status, due.status)
  }
  const made: MadeReport[] = []
  const status = await makePages(run, (report) => made.push(report))
  const byHand = made.map((report) => ({ ...report, subject: subjectByHand(report, parameters) }))
  const failures = await deliverAll(context, byHand, sending)
  // A failed delivery can be retried, but a failed gate cannot. If both failed, the delivery determines the exit
  // status.
  return failures.length > 0 ? 1 : status
}

export async function makeDueReports(
  run: Run,
  due: readonly DueReport[],
): Promise<{ made: ReportToDeliver[]; status: number }> {
  const { context, config, options } = run
  const made: ReportToDeliver[] = []
  let status = 0
  for (const { report, subject, dueAt, isPast, completes } of due) {
    const own = { dueAt, ...(isPast && { pastPeriod: subject.period }) }
    const act = (of: Run) =>
      makePages({ ...of, ...own, reports: [report] }, (one) => made.push({ ...one, subject, completes }))
    if (!report.isHandover) status = Math.max(status, await act(run))
    else {
      const notes = await syncBeforeHandover(context, config)
      // Reopens the warehouse to see the new data.
      status = Math.max(status, await withReports(context, [], options, (of) => act({ ...of, notes })))
    }
  }
  return { made, status }
}

/** Makes the reports again whenever a file is saved. If there are errors, the last valid pages stay. */
async function watch(
  context: Context,
  config: Config,
  names: readonly string[],
  options: ReportOptions,
): Promise<number> {
  const picked = () => pickReports(names, allReports(config.reports))
  const files = picked().map(({ file }) => file)
  await watchFiles(
    files,
    async () => {
      try {
        // Reopens the warehouse each time to see new data.
        await withReports(context, names, options, (run) => makePages(run, () => {}))
      } catch (error) {
        if (!(error instanceof FaultlineError)) throw error
        context.console.error(errorText(error))
      }
      context.console.note(`watching ${files.map(shown).join(', ')}; Ctrl-C stops`)
    },
    context.signal,
  )
  return 0
}
