import { join } from 'node:path'
import { type Metric, metricsFor } from '../../report/metrics/metric-file.ts'
import { ownMeasures, withMeasures } from '../../report/metrics/own-measures.ts'
import { stop } from '../../report/parse/report-errors.ts'
import { INCLUDED } from '../../settings/report-names.ts'
import type { Session } from '../../warehouse/read/session.ts'
import type { ToolContext } from '../tool.ts'

/** This file does not exist. Its path lets the report of `figure` use the metrics defined in the reports folder. */
export const reportFile = ({ reports }: ToolContext) => join(reports ?? INCLUDED, 'figure.md')

/** Returns built-in metrics, metrics defined in the reports folder, and configured measures. */
export async function metricsKnown(ground: ToolContext, session: Session): Promise<readonly Metric[]> {
  const { metrics } = withMeasures(metricsFor(reportFile(ground), stop), await ownMeasures(session), stop)
  // Texts are not figures.
  return [...metrics.values()].filter(({ format }) => format !== 'text')
}
