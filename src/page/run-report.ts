import { basename, dirname, resolve } from 'node:path'
import { runAfter } from '../effects.ts'
import { WarehouseError } from '../errors.ts'
import { findingQueries } from '../judge/findings.ts'
import { judgeFigures } from '../judge/judge-figures.ts'
import type { ReportResult } from '../render/result.ts'
import { askQueries, type RunOptions } from '../report/ask-queries.ts'
import { onlyConfigured } from '../report/drop-unconfigured-blocks.ts'
import { ownMeasures } from '../report/metrics/own-measures.ts'
import { parseReport } from '../report/parse/parse.ts'
import { reportText } from '../report/report-text.ts'
import type { Sessions } from '../report/scope/report-filters.ts'
import { drawReport } from './draw-report.ts'
import { listQueries } from './incident-lists.ts'
import { rankFindings } from './rank-findings.ts'
import { recordRun } from './run-facts.ts'

/**
 * A query can read the results of earlier queries by name. Failed checks are part of the result.
 * @throws ReportError with file and line, even for a timeout
 * @throws ConfigError for invalid options
 */
export async function runReport(
  file: string,
  reader: Sessions,
  options: RunOptions = {},
): Promise<ReportResult> {
  const { timeoutMs, lists = true } = options
  const session = await reader.session()
  const timer =
    timeoutMs === undefined ? undefined : runAfter(timeoutMs, () => session.stop(tooLong(timeoutMs)))
  try {
    const written = parseReport(options.text ?? reportText(file), file, await ownMeasures(session))
    const report = await onlyConfigured(written, session)
    const later = [...findingQueries(report), ...(lists ? listQueries(report) : [])]
    const answers = await askQueries(session, report, options, { accounts: reader.accounts, later })
    const judgement = await judgeFigures(session, answers)
    const findings = await rankFindings(session, answers, judgement)
    const drawn = drawReport(answers, judgement, findings)
    return {
      ...drawn,
      source: `${basename(dirname(resolve(file)))}/${basename(file)}`,
      run: recordRun(answers, judgement),
    }
  } finally {
    clearTimeout(timer)
    session.close()
  }
}

function tooLong(ms: number): WarehouseError {
  const limit = ms < 60_000 ? `${ms / 1_000} s` : `${Math.round(ms / 6_000) / 10} min`
  return new WarehouseError(`The report took longer than ${limit}.`, {
    next: 'Check its slowest query with `faultline sql`, or raise `reporting.timeout`.',
  })
}
