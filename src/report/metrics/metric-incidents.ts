import type { Mapping } from '../../render/spec.ts'
import { type Asked, all } from './metric-sql.ts'

/** Kinds of rows that lists of incidents can be made of, each with what its list says of itself. */
const listed: Readonly<Record<string, Mapping>> = { incidents: {}, targets: {}, pages: { of: 'pages' } }

/**
 * The incidents that a figure counts; null where its rows are the author's own. Of a share they are what it is a share of.
 * @param more what they have in common beside that, such as the week of a row
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

/** What the incidents of a mark have in common: a small chart is of all weeks, and a column of all severities. */
export function ofMark({ by, color, facet }: Marks): Mapping {
  const names = facet ? [facet] : color && color !== 'severity' ? [by, color] : [by]
  return Object.fromEntries(names.map((one) => [one, one]))
}
