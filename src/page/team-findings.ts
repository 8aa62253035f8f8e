import { cellsOf } from '../render/cells.ts'
import type { Value } from '../render/result.ts'
import type { Report } from '../report/parse/parse.ts'
import type { ResolveContext } from './draw-text.ts'
import type { SaidFinding } from './sentences/finding-sentences.ts'
import { teamOf, teamWords } from './sentences/team-sentences.ts'

type Row = readonly Value[]

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
    const result = known.results.get(data)!
    // A second table on the same query shows the same rows.
    if (results.get(data) !== result) continue
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
  if (found.size === 0) return known
  const linksOf: ResolveContext['linksOf'] = (mapping) => {
    const links = known.linksOf(mapping)
    return links && new Map(Array.from(links, ([row, list]) => [found.get(row) ?? row, list]))
  }
  return { ...known, results, linksOf }
}
