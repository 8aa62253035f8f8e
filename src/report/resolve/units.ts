import { measuredColumns } from '../../render/chart-spec.ts'
import type { QueryResult } from '../../render/result.ts'
import { type Report, textsOf } from '../parse/parse.ts'
import { tagsOf } from '../parse/template.ts'

/**
 * Names the unit of columns that the report shows as durations, for files that leave the page: `tta` is written as `tta_s`. One
 * that says its unit already stays.
 */
export function withUnits(report: Report, queries: readonly QueryResult[]): QueryResult[] {
  const seconds = durationsOf(report)
  return queries.map((query) => ({
    ...query,
    columns: query.columns.map((column) => {
      const { name } = column
      const isNamed = /(_s|seconds)$/.test(name) || query.columns.some((other) => other.name === `${name}_s`)
      return seconds.has(`${query.name}.${name}`) && !isNamed ? { ...column, unit: 's' as const } : column
    }),
  }))
}

/** Every `query.column` that a tag, card, table or chart shows as a duration. */
function durationsOf(report: Report): Set<string> {
  const found = new Set<string>()
  const add = (query: string, columns: readonly (string | null | undefined)[]) => {
    for (const column of columns) if (column) found.add(`${query}.${column}`)
  }
  for (const { query, column, as } of textsOf(report).flatMap(tagsOf))
    if (as.kind === 'plain' && as.format === 'duration') add(query, [column])
  for (const piece of report.pieces) {
    if (piece.kind === 'kpis') {
      for (const { format, value, trend, target } of piece.cards) {
        if (format !== 'duration') continue
        for (const reference of [value, trend, target])
          if (typeof reference === 'object') add(reference.query, [reference.column])
      }
    } else if (piece.kind === 'table') {
      for (const { column, format, interval } of piece.body.columns ?? [])
        if (format === 'duration') add(piece.body.data, [column, ...(interval ?? [])])
    } else if (piece.kind === 'chart' && piece.body.format === 'duration') {
      add(piece.body.data, measuredColumns(piece.body))
      for (const { query, column } of piece.body.rules) add(query, [column])
    }
  }
  return found
}
