import { z } from 'zod'
import { ConfigError, unknownName } from '../../errors.ts'
import { formatOfMetric } from '../../report/metrics/metric-blocks.ts'
import type { Metric } from '../../report/metrics/metric-file.ts'
import { allReports } from '../../report/report-catalog.ts'
import { type Answer, asking, type Call, type Tool } from '../tool.ts'
import { metricsKnown } from './available-metrics.ts'
import { isWho } from './personal-columns.ts'
import { relationsOf } from './relations.ts'

const input = z.strictObject({
  name: z.string().min(1).max(100).describe('Name of a metric, a report or an SQL relation.'),
})

/** @param isMetricsOnly omits SQL relations */
export function describeTool(isMetricsOnly: boolean): Tool<typeof input> {
  return {
    name: 'describe',
    title: 'Meaning of a name',
    description: `Describes what a metric counts and by which rule, what a report covers${isMetricsOnly ? '' : ', or the columns of a relation for `sql`'}.`,
    input,
    answer: (call, { name }) => described(call, name, isMetricsOnly),
  }
}

async function described(call: Call, name: string, isMetricsOnly: boolean): Promise<Answer> {
  const metrics = await asking(call, (session) => metricsKnown(call.ground, session))
  const metric = metrics.find((one) => one.name === name)
  if (metric) return ofMetric(metric)
  const reports = allReports(call.ground.reports)
  const report = reports.find((one) => one.name === name)
  if (report) {
    const { title, description, period, schedule } = report
    return { kind: 'report', name, title, description, period, schedule }
  }
  const relations = isMetricsOnly ? [] : await relationsOf(call.ground.settings)
  const relation = relations.find((one) => one.name === name.toLowerCase())
  if (relation) return { ...relation, columns: relation.columns.filter((column) => !isWho(column.name)) }
  const known = [...metrics, ...reports, ...relations].map((one) => one.name)
  throw new ConfigError('Unknown metric, report or relation.', {
    next: unknownName(name, known),
  })
}

/** `count`, `share`, `duration` and `figure` are SQL expressions over the incidents in the period. */
function ofMetric(metric: Metric): Answer {
  const { of, open, rows, limit, target, ...fields } = metric
  const { name, label, question, better, count, share, duration, figure } = fields
  const unit = { duration: 'seconds', percent: 'share, 0 to 1' }[String(formatOfMetric(metric))] ?? 'number'
  return {
    ...{ kind: 'metric', name, label, question, unit, better },
    ...{ of_rows: rows, count, share, duration, figure },
    ...{ of: of === 'true' ? undefined : of, still_open: open },
    has_target: limit !== undefined || target !== undefined,
    rule: '`figure` returns the rule in words.',
  }
}
