import type { ReportResult } from './result.ts'

/**
 * A report as JSON for other programs: what it speaks of, and every query's rows as objects. Instants are ISO in UTC;
 * integers beyond 2^53 are strings.
 */
export function toJson({ name, title, frame, empty, queries, counted, warnings }: ReportResult): string {
  const results = Object.fromEntries(
    queries.map((query) => [
      query.name,
      query.rows.map((row) =>
        Object.fromEntries(query.columns.map((column, index) => [column.name, row[index] ?? null])),
      ),
    ]),
  )
  const exact = (_: string, value: unknown) =>
    typeof value === 'bigint' ? (Number.isSafeInteger(Number(value)) ? Number(value) : String(value)) : value
  return `${JSON.stringify({ name, title, frame, empty, counted, warnings, results }, exact, 2)}\n`
}
