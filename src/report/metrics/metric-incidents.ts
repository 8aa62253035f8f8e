import type { Mapping } from '../../render/spec.ts'
import { type Asked, all } from './metric-sql.ts'

/** Row types that have incident lists, with the `of` of their list. */
const listed: Readonly<Record<string, Mapping>> = { incidents: {}, targets: {}, pages: { of: 'pages' } }

/**
 * Returns the incidents behind a figure (for a share, those of the denominator), or null for custom rows. @param more
 * conditions
 */
export function countedBy(
  { metric, where }: Asked,
  more: Mapping = {},
  whole: string | null = null,
): Mapping | null {
  const list = listed[metric.listAs ?? metric.rows]
  if (!list) return null
  const counts = metric.count ?? (metric.duration ? `(${metric.duration}) is not null` : null)
  const sql = all(whole, where, metric.of, counts)
  return { ...list, ...(sql === 'true' ? {} : { where: sql }), ...more }
}

interface Marks {
  by: string
  color?: string | undefined
  facet?: string | undefined
}

/** Returns the conditions of a chart mark. A mark of a small chart covers all weeks, and a column covers all severities. */
export function ofMark({ by, color, facet }: Marks): Mapping {
  const names = facet ? [facet] : color && color !== 'severity' ? [by, color] : [by]
  return Object.fromEntries(names.map((one) => [one, one]))
}
