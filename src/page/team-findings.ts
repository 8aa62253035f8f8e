import { cellsOf } from '../render/cells.ts'
import type { FindingsBlock, Inline, Value } from '../render/result.ts'
import { shorten } from '../render/sanitize-text.ts'
import type { Report } from '../report/parse/parse.ts'
import { TEAMS_MOST, worseTeamOf } from './choose-lead.ts'
import type { ResolveContext } from './draw-text.ts'
import type { SaidFindings } from './findings-block.ts'
import { NAME_MAX, NO_CHANNEL } from './sentences/sentence-parts.ts'
import { attentionText, otherTeamsText, teamOf, teamWords } from './sentences/team-sentences.ts'

type Row = readonly Value[]

/**
 * Adds the findings for the worse about a team to the table column with `findings`, and moves these rows to the top of
 * the query result, those in the lead first and in its order. The other rows keep their order.
 */
export function withTeamFindings(
  report: Report,
  known: ResolveContext,
  { listed, lead }: SaidFindings,
): ResolveContext {
  const inLead = lead.map(worseTeamOf)
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
        const own = listed.filter((one) => one.isWorse && teamOf(one) === text(row, team))
        const words = [value(row, column) ?? '', ...own.map((one) => teamWords(one, known.context))]
        const filled = row.with(at, [...new Set(words)].filter((one) => one !== '').join(', '))
        found.set(row, filled)
        return filled
      })
      const placeOf = (row: Row) => {
        const place = inLead.indexOf(text(row, team))
        return place >= 0 ? place : row[at] === '' ? inLead.length + 1 : inLead.length
      }
      results.set(data, { ...result, rows: rows.toSorted((one, other) => placeOf(one) - placeOf(other)) })
    }
  }
  if (found.size === 0) return known
  const linksOf: ResolveContext['linksOf'] = (mapping) => {
    const links = known.linksOf(mapping)
    return links && new Map(Array.from(links, ([row, list]) => [found.get(row) ?? row, list]))
  }
  return { ...known, results, linksOf }
}

/**
 * Returns the lead of a report by team: the teams that need attention, with one sentence for each of the first five, as
 * in the first table with a column for findings. If a data gap makes every number uncertain, returns the lead unchanged.
 */
export function teamLead(
  { pieces }: Report,
  { results }: ResolveContext,
  { block, lead, listed }: SaidFindings,
): FindingsBlock {
  const [table] = pieces.flatMap((piece) => {
    const column = piece.kind === 'table' && piece.body.columns?.find((one) => one.findings !== null)
    return column && piece.kind === 'table' ? { column, data: results.get(piece.body.data)! } : []
  })
  if (!table || listed.some(({ kind, topic }) => kind === 'data' && topic === 'counts')) return block
  const { text } = cellsOf(table.data)
  const rows = table.data.rows.map((row) => ({
    name: text(row, table.column.findings!),
    words: text(row, table.column.column),
  }))
  // A team without incidents has no row.
  const inLead = new Set(lead.map(worseTeamOf).filter((name) => name !== null))
  const absent = [...inLead].filter((name) => !rows.some((row) => row.name === name))
  const teams = rows.filter(({ name }) => name !== NO_CHANNEL)
  const others = teams.filter(({ name, words }) => words !== '' && !inLead.has(name))
  const count = inLead.size + others.length
  if (count === 0) return block
  const plain = (words: string): Inline[] => [{ kind: 'text', text: words }]
  // One sentence can name up to three new teams.
  const newTeams = lead.flatMap(({ kind, subject }) => (kind === 'new' ? subject!.split(/, | and /) : []))
  const unnamed = others.filter(({ name }) => !newTeams.includes(name))
  const said = unnamed.slice(0, TEAMS_MOST - inLead.size)
  return {
    ...block,
    opening: plain(attentionText(count, teams.length + absent.length)),
    lines: [
      ...block.lines,
      ...said.map(({ name, words }) => ({
        text: plain(`${shorten(name, NAME_MAX)}: ${words}.`),
        section: null,
      })),
    ],
    rest: plain(otherTeamsText(unnamed.length - said.length, teams.length + absent.length - count)),
  }
}
