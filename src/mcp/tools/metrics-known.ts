import { join } from 'node:path'
import { INCLUDED } from '../../config/report-names.ts'
import type { Metric } from '../../report/metrics/metric-file.ts'
import { metricsFor } from '../../report/metrics/metric-file.ts'
import { ownMeasures, withMeasures } from '../../report/metrics/own-measures.ts'
import { stop } from '../../report/parse/mistakes.ts'
import type { Session } from '../../warehouse/read/session.ts'
import type { Ground } from '../tool.ts'

/** Where a report of one figure would lie: beside the reports of the configuration, with their own metrics. */
export const reportFile = ({ reports }: Ground) => join(reports ?? INCLUDED, 'figure.md')

/** The metrics that `figure` knows: the included ones, those beside the reports, and the measures of the configuration. */
export async function metricsKnown(ground: Ground, session: Session): Promise<readonly Metric[]> {
  const { metrics } = withMeasures(metricsFor(reportFile(ground), stop), await ownMeasures(session), stop)
  // What is a text is no figure.
  return [...metrics.values()].filter(({ format }) => format !== 'text')
}
