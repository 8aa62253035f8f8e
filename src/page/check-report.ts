import { ConfigError, type ReportError } from '../errors.ts'
import { parametersOf, runQueries } from '../report/ask-queries.ts'
import { compile } from '../report/check-blocks.ts'
import { checkSamples } from '../report/check-samples.ts'
import { ownMeasures } from '../report/metrics/own-measures.ts'
import { parseParameters } from '../report/parse/parameters.ts'
import { type Report, readReport } from '../report/parse/parse.ts'
import { reportText } from '../report/report-text.ts'
import { openFrame } from '../report/scope/frame.ts'
import { checkSeverities } from '../report/scope/report-filters.ts'
import type { Reader } from '../warehouse/read/reader.ts'
import { checkLists, listQueries } from './incident-lists.ts'

/** Computes no rows, so it also works with an empty warehouse. Returns all mistakes, sorted by line. */
export async function mistakesOf(file: string, reader: Reader): Promise<ReportError[]> {
  const mistakes: ReportError[] = []
  const tell = (mistake: ReportError) => mistakes.push(mistake)
  const session = await reader.session()
  try {
    const report = readReport(reportText(file), file, tell, await ownMeasures(session))
    if (!report) return mistakes
    const parameters = attemptParameters(report)
    const open = await openFrame(session, parameters, {
      rows: false,
      queries: [...report.queries.map(({ sql }) => sql), ...listQueries(report)],
    })
    await checkSeverities(session, report, parameters, tell)
    const { shapes } = await runQueries(session, report, open, tell, false)
    compile(report, shapes, tell)
    await checkSamples(session, report, shapes, tell)
    await checkLists(session, report, shapes, open.bound, tell)
  } finally {
    session.close()
  }
  const isFirst = ({ line, message }: ReportError, place: number) =>
    mistakes.findIndex((one) => one.line === line && one.message === message) === place
  return mistakes.filter(isFirst).toSorted((a, b) => a.line - b.line)
}

/** @throws ReportError for the first mistake in a report */
export async function checkReport(file: string, reader: Reader): Promise<void> {
  const [mistake] = await mistakesOf(file, reader)
  if (mistake) throw mistake
}

/** Returns the defaults for invalid parameters, which have already been reported. */
function attemptParameters(report: Report) {
  try {
    return parametersOf(report, {})
  } catch (error) {
    if (error instanceof ConfigError) return parseParameters({})
    throw error
  }
}
