import type { Figures } from '../judge/figures.ts'
import { cellsOf } from '../render/cells.ts'
import type { FormatContext } from '../render/format.ts'
import type { Links, QueryResult, Value } from '../render/result.ts'
import type { Report } from '../report/parse/parse.ts'
import type { ResolveContext } from './draw-text.ts'
import type { SaidFinding } from './sentences/finding-sentences.ts'
import { teamOf, teamWords } from './sentences/team-sentences.ts'
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

/**
 * Adds the findings for the worse about a team to the table column with `findings`, and moves these rows to the top of
 * the query result. The other rows keep their order.
 */
export function withTeamFindings(
  report: Report,
  known: ResolveContext,
  findings: readonly SaidFinding[],
): ResolveContext {
  const results = new Map(known.results)
  const found = new Map<Row, Row>()
  for (const piece of report.pieces) {
    if (piece.kind !== 'table') continue
    const { data } = piece.body
    const result = results.get(data)!
    const { text, value } = cellsOf(result)
    for (const { column, findings: team } of piece.body.columns ?? []) {
      if (team === null) continue
      const at = result.columns.findIndex(({ name }) => name === column)
      const rows = result.rows.map((row) => {
        const own = findings.filter((one) => one.isWorse && teamOf(one) === text(row, team))
        const words = [value(row, column) ?? '', ...own.map((one) => teamWords(one, known.context))]
        const filled = row.with(at, [...new Set(words)].filter((one) => one !== '').join(', '))
        found.set(row, filled)
        return filled
      })
      results.set(data, {
        ...result,
        rows: rows.toSorted((one, other) => Number(other[at] !== '') - Number(one[at] !== '')),
      })
    }
  }
  return { ...known, results, linksOf: (mapping) => replacing(found).links(known.linksOf(mapping)) }
}
