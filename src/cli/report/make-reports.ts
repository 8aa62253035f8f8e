import { type Config, loadConfig } from '../../config/config.ts'
import { errorText, FaultlineError } from '../../errors.ts'
import { allReports, pickReports } from '../../report/report-catalog.ts'
import { shown } from '../../site/error-places.ts'
import type { MadeReport } from '../../site/write-page.ts'
import { consoleEffects } from '../console.ts'
import type { Context } from '../context.ts'
import { deliverAll, type ReportToDeliver, readTargets, subjectByHand } from '../deliver-reports.ts'
import { runAccounts } from '../sync/run-accounts.ts'
import { type DueReport, dueReports } from './due-reports.ts'
import { makeAccountPages, makePages, parametersOf, type Run, withReports } from './make-pages.ts'
import { checkOptions, type ReportOptions } from './report-options.ts'
import { watchFiles } from './watch.ts'

/** Runs `faultline report`. @param names reports (default: all) @param made receives every written report */
export async function makeReports(
  context: Context,
  names: readonly string[],
  options: ReportOptions,
  made: (report: MadeReport) => void = () => {},
): Promise<number> {
  const config = loadConfig(context.overrides)
  const dimensions = config.settings.dimensions.map(({ name }) => name)
  checkOptions(options, dimensions)
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
  // Reads the targets first, so that a missing password is reported before the reports are made.
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
  // Only a failed delivery can succeed on a second try, so it takes precedence over a failed gate (status 3).
  return failures.length > 0 ? 1 : status
}

/** Makes the reports that are due. Before a handover report, syncs the incidents. */
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
    const handOver = async () => {
      const notes = await syncBeforeHandover(context, config)
      // Opens the warehouse again, because the reader that is already open does not see the new data.
      return withReports(context, [], options, (of) => act({ ...of, notes }))
    }
    status = Math.max(status, await (report.isHandover ? handOver() : act(run)))
  }
  return { made, status }
}

/** Syncs incidents before a handover. @returns sentences about failures, for the pages */
async function syncBeforeHandover(context: Context, config: Config): Promise<string[]> {
  const failed = (whose: string, reason: string) => [
    `The sync${whose} before this handover failed: ${reason.split('\n', 1)[0]}`,
  ]
  try {
    const { outcomes } = await runAccounts(context, config, config.accounts, { resources: ['incidents'] })
    return outcomes.flatMap((one) => {
      const whose = one.name === null ? '' : ` of ${one.name}`
      if ('error' in one) return failed(whose, errorText(one.error))
      const { complete, failures } = one.summary
      return complete ? [] : failed(whose, failures.map(({ message }) => message).join('; '))
    })
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof FaultlineError)) throw error
    return failed('', errorText(error))
  }
}

/** Makes the reports again whenever one of their files is saved. If a file has errors, its last valid page is kept. */
async function watch(
  context: Context,
  config: Config,
  names: readonly string[],
  options: ReportOptions,
): Promise<number> {
  const files = pickReports(names, allReports(config.reports)).map(({ file }) => file)
  const make = async () => {
    try {
      // Opens the warehouse each time, so that the pages show new data.
      await withReports(context, names, options, (run) => makePages(run, () => {}))
    } catch (error) {
      if (!(error instanceof FaultlineError)) throw error
      context.console.error(errorText(error))
    }
    context.console.note(`watching ${files.map(shown).join(', ')}; Ctrl-C stops`)
  }
  await watchFiles(files, make, context.signal)
  return 0
}
