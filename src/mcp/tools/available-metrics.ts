import { join } from 'node:path'
import { type Metric, type Metrics, metricsFor } from '../../report/metrics/metric-file.ts'
import { ownMeasures, withMeasures } from '../../report/metrics/own-measures.ts'
import { stop } from '../../report/parse/report-errors.ts'
import { INCLUDED } from '../../settings/report-names.ts'
import type { Session } from '../../warehouse/read/session.ts'
import type { ToolContext } from '../tool.ts'

/**
 * Path of a report with one figure, which exists only in memory. The path is in the reports folder, so that the metrics
 * there are found.
 */
export const reportFile = ({ reports }: ToolContext) => join(reports ?? INCLUDED, 'figure.md')

/** Returns the metrics that `figure` accepts: included metrics, metrics of the reports folder, and configured measures. */
export async function metricsKnown(ground: ToolContext, session: Session): Promise<readonly Metric[]> {
  return figuresOf(withMeasures(metricsFor(reportFile(ground), stop), await ownMeasures(session), stop))
}

/** Metrics of format `text` cannot be returned as figures. */
function figuresOf({ metrics }: Pick<Metrics, 'metrics'>): readonly Metric[] {
  return [...metrics.values()].filter(({ format }) => format !== 'text')
}
