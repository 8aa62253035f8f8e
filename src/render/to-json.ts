import type { QueryResult, ReportResult } from './result.ts'

/** Converts a report to JSON for programs. Times are in ISO format and UTC, and integers above 2^53 are strings. */
export function toJson(result: ReportResult): string {
  const { name, title, verdict, findings, kpis, frame, empty, queries, ...more } = result
  const { counted, coverage, gates, restated, warnings } = more
  const objects = ({ columns, rows }: Pick<QueryResult, 'columns' | 'rows'>) =>
    rows.map((row) => Object.fromEntries(columns.map((column, index) => [column.name, row[index] ?? null])))
  // `findings.csv` also has the candidates that are not significant.
  const isSaid = ({ sentence }: Record<string, unknown>) => sentence !== null
  const results = Object.fromEntries(queries.map((query) => [query.name, objects(query)]))
  const exact = (_: string, value: unknown) =>
    typeof value === 'bigint' ? (Number.isSafeInteger(Number(value)) ? Number(value) : String(value)) : value
  const document = {
    ...{ name, title, verdict, findings: findings && objects(findings).filter(isSaid), kpis, frame, empty },
    ...{ counted, coverage, gates, restated, warnings, results },
  }
  return `${JSON.stringify(document, exact, 2)}\n`
}
