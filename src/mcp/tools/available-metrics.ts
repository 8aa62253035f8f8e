import { join } from 'node:path'
import { type Metric, metricsFor } from '../../report/metrics/metric-file.ts'
import { ownMeasures, withMeasures } from '../../report/metrics/own-measures.ts'
import { stop } from '../../report/parse/report-errors.ts'
import { INCLUDED } from '../../settings/report-names.ts'
import type { Session } from '../../warehouse/read/session.ts'
import type { ToolContext } from '../tool.ts'

/**
 * Path of the report with which `figure` computes a metric. The file does not exist. Its path is in the reports folder,
 * so that the report can use the metrics that are defined there.
 */
export const reportFile = ({ reports }: ToolContext) => join(reports ?? INCLUDED, 'figure.md')

/**
 * Returns the metrics that `figure` accepts: included metrics, those in the reports folder, and configured measures.
 */
export async function metricsKnown(ground: ToolContext, session: Session): Promise<readonly Metric[]> {
  const { metrics } = withMeasures(metricsFor(reportFile(ground), stop), await ownMeasures(session), stop)
  // Texts are not figures.
  return [...metrics.values()].filter(({ format }) => format !== 'text')
}
