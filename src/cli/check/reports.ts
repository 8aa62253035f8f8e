import { FaultlineError, ReportError } from '../../errors.ts'
import type { Listed } from '../../report/list.ts'
import { checkReport } from '../../report/run.ts'
import type { Reader } from '../../warehouse/reader.ts'
import { type Finding, fail, ok } from './finding.ts'

/** Whether every report compiles against the warehouse; without one, whether it can be parsed. One finding for each that does not. */
export async function checkReports(
  reports: readonly Listed[],
  reader: Reader | undefined,
): Promise<Finding[]> {
  const problems: Finding[] = []
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
          error.next ?? `faultline report check ${report.name} tells more.`,
        ),
      )
    }
  }
  if (problems.length > 0) return problems
  const count = reports.length === 1 ? '1 report' : `${reports.length} reports`
  return [
    ok('reports', reader ? `${count} compile` : `${count} parse; a warehouse is needed to compile them`),
  ]
}
