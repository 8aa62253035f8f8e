import type { Figures } from '../judge/figures.ts'
import { cellsOf } from '../render/cells.ts'
import type { FormatContext } from '../render/format.ts'
import type { Links, QueryResult, Value } from '../render/result.ts'
import type { Report } from '../report/parse/parse.ts'
import { verdictWords } from './sentences/verdict-sentences.ts'

type Row = readonly Value[]

/** Maps each table row to a copy in which empty cells are filled with verdicts, so that the page and the file agree. */
export function rowsWithVerdicts(
  report: Report,
  results: ReadonlyMap<string, QueryResult>,
  figures: Figures,
  context: FormatContext,
): ReadonlyMap<Row, Row> {
  const found = new Map<Row, Row>()
  for (const piece of report.pieces) {
    if (piece.kind !== 'table') continue
    const result = results.get(piece.body.data)!
    const cells = cellsOf(result)
    for (const { column, verdict } of piece.body.columns ?? []) {
      if (!verdict) continue
      const at = result.columns.findIndex(({ name }) => name === column)
      for (const row of result.rows) {
        const judged = figures.of({ ...verdict, row: cells.value(row, verdict.by) })
        const cell = row[at] ?? (judged ? verdictWords(judged.verdict, judged.measure, context) : null)
        found.set(row, (found.get(row) ?? row).with(at, cell))
      }
    }
  }
  return found
}

/** Replaces rows in results, and in the links from rows to incidents. Rows not in `rows` stay the same. */
export function replacing(rows: ReadonlyMap<Row, Row>) {
  const shown = (row: Row) => rows.get(row) ?? row
  return {
    result: (one: QueryResult): QueryResult =>
      one.rows.some((row) => rows.has(row)) ? { ...one, rows: one.rows.map(shown) } : one,
    links: (links: Links | null): Links | null =>
      links && new Map(Array.from(links, ([row, list]) => [shown(row), list])),
  }
}
