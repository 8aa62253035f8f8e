import type { Figures } from '../judge/figures.ts'
import { cellsOf } from '../render/cells.ts'
import type { FormatContext } from '../render/format.ts'
import type { QueryResult, Value } from '../render/result.ts'
import type { Report } from '../report/parse/parse.ts'
import { verdictWords } from './sentences/verdict-sentences.ts'

/** Fills verdicts into empty cells of table results, so that page and file agree. Replaces the affected results. */
export function sayRowVerdicts(
  report: Report,
  results: Map<string, QueryResult>,
  figures: Figures,
  context: FormatContext,
): void {
  for (const piece of report.pieces) {
    if (piece.kind !== 'table') continue
    for (const { column, verdict } of piece.body.columns ?? []) {
      const result = results.get(piece.body.data)!
      if (!verdict) continue
      const at = result.columns.findIndex(({ name }) => name === column)
      const cells = cellsOf(result)
      const said = (row: readonly Value[]): Value => {
        const judged = figures.of({ ...verdict, row: cells.value(row, verdict.by) })
        return judged ? verdictWords(judged.verdict, judged.measure, context) : null
      }
      results.set(piece.body.data, {
        ...result,
        rows: result.rows.map((row) => row.map((cell, place) => (place === at ? (cell ?? said(row)) : cell))),
      })
    }
  }
}
