import type { Mapping } from '../../render/spec.ts'
import { type Asked, all } from './metric-sql.ts'

/** The kinds of rows for which there are incident lists. */
const listed: Readonly<Record<string, Mapping>> = { incidents: {}, targets: {}, pages: { of: 'pages' } }

/** Returns the incidents behind a figure, or the denominator of a share and what it counts. Null for custom rows. */
export function countedBy(
  { metric, where }: Asked,
  more: Mapping = {},
  whole: string | null = null,
): Mapping | null {
  const list = listed[metric.listAs ?? metric.rows]
  if (!list) return null
  const counts = metric.count ?? (metric.duration ? `(${metric.duration}) is not null` : null)
  const sql = all(whole, where, metric.of, counts)
  return {
    ...list,
    ...(sql === 'true' ? {} : { where: sql }),
    ...(metric.share && { share: metric.share }),
    ...more,
  }
}

/** A small chart links to the incidents of all its weeks, and a column to those of all its severities. */
export function ofMark(marks: {
  by: string
  color?: string | undefined
  facet?: string | undefined
}): Mapping {
  const { by, color, facet } = marks
  const names = facet ? [facet] : color && color !== 'severity' ? [by, color] : [by]
  return Object.fromEntries(names.map((one) => [one, one]))
}
